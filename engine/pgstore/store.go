package pgstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"idem/engine"
)

// Store is a store on Postgres. Any number of servers may use one database.
type Store struct {
	pool   *pgxpool.Pool
	opt    Options
	tokens tokens
	closed atomic.Bool
}

var _ engine.Store = (*Store)(nil)

// Open connects to a database, given as a URL or in the keyword form, and brings
// its tables to this version; servers that do so at once wait for each other.
// Tables go where the search_path of the connection says. Errors wrap
// [engine.ErrBusy], [engine.ErrUnavailable], [ErrSettings] or [ErrSchema].
func Open(ctx context.Context, dsn string, o Options) (*Store, error) {
	o = o.withDefaults()
	config, err := poolConfig(dsn, o)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return open(ctx, config, o)
}

func open(ctx context.Context, config *pgxpool.Config, o Options) (*Store, error) {
	if err := migrate(ctx, config.ConnConfig); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", classed(err))
	}
	return &Store{pool: pool, opt: o, tokens: newTokens()}, nil
}

// Purge is [engine.Store.Purge].
func (s *Store) Purge(ctx context.Context, cutoff, now time.Time, limit int) (int, error) {
	// Each batch is a transaction of its own: locks are held only briefly.
	const batch = 1000
	purged := 0
	for purged < limit {
		size := min(limit-purged, batch)
		n, err := s.purge(ctx, cutoff, now, size)
		purged += n
		if err != nil {
			return purged, fmt.Errorf("purge: %w", ended(ctx, err))
		}
		if n < size {
			break
		}
	}
	return purged, nil
}

func (s *Store) purge(ctx context.Context, cutoff, now time.Time, size int) (n int, err error) {
	err = s.retry(ctx, func() error {
		conn, err := s.acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		tag, err := conn.Exec(ctx, sqlPurge, engine.NearestNanos(cutoff), engine.NearestNanos(now), size)
		n = int(tag.RowsAffected())
		return err
	})
	return n, err
}

// View is [engine.Store.View]: all that fn reads is of one instant. fn is run
// again in the rare case that the database refuses its first transaction.
func (s *Store) View(ctx context.Context, fn func(engine.Tx) error) error {
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := s.retry(ctx, func() error {
		return s.transact(ctx, snapshot, func(pg pgx.Tx) error { return fn(&tx{pg: pg, readOnly: true}) })
	})
	if errors.Is(err, engine.ErrUnknownCommit) {
		err = fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	}
	if err != nil {
		return fmt.Errorf("view: %w", ended(ctx, err))
	}
	return nil
}

// Newest is key and instant of the record that was claimed last, nil when there is
// none: of them [engine.Policy.CheckScope] can tell the scope of all. The rest is
// not looked at, as damage to one record is not to keep a server from the others.
func (s *Store) Newest(ctx context.Context) (r *engine.Record, err error) {
	err = s.View(ctx, func(t engine.Tx) (err error) {
		r, err = t.(*tx).newest(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the newest record: %w", err)
	}
	return r, nil
}

// Update is [engine.Store.Update]. fn is run again when the database refuses
// its transaction because of others. A commit without an answer gives
// ErrUnknownCommit.
func (s *Store) Update(ctx context.Context, fn func(engine.Tx) error) error {
	if err := s.write(ctx, func(_ context.Context, t *tx) error { return fn(t) }); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	return nil
}

// Close waits for what is running and closes the pool.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.pool.Close()
	return nil
}
