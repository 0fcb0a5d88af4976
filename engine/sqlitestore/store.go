package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"idem/engine"
)

// Options are the settings of a [Store]; the zero value is good.
type Options struct {
	// BusyTimeout is how long to wait for another process's write lock before
	// ErrBusy; 5 s if zero, no wait if negative.
	BusyTimeout time.Duration
	// NoCreate makes a file that is missing, or has no accounts, an error.
	NoCreate bool
	// OneByOne commits each operation by itself. It is there to measure what
	// committing together gains.
	OneByOne bool
}

// hasLedger is an ErrSchema for a file without the one table that somebody else
// must have made.
func hasLedger(c *conn) error {
	_, err := c.row(sqlLedgerCheck)
	if primaryCode(err) == sqlite3.SQLITE_ERROR {
		return fmt.Errorf("%w: it must hold account(acct_id, holder, balance): %w", ErrSchema, err)
	}
	return err
}

const defaultBusyTimeout = 5 * time.Second

func (o Options) busyTimeout() time.Duration {
	switch {
	case o.BusyTimeout == 0:
		return defaultBusyTimeout
	case o.BusyTimeout < 0:
		return 0
	}
	return o.BusyTimeout
}

// Store is the live store on a file that other processes may have open, too.
type Store struct {
	w *writer
	r *readers
}

var _ engine.Store = (*Store)(nil)

// Open opens path, makes it (mode 0600) and its tables when missing, and waits
// for another process that is doing the same. A ledger of someone else's that
// has an account table is used as it is. Errors wrap [engine.ErrBusy],
// [engine.ErrUnavailable] or [ErrSchema].
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := createFile(path, o.NoCreate); err != nil {
		return nil, fmt.Errorf("open store: %w: %w", engine.ErrUnavailable, err)
	}
	c, err := connect(path, busySetting(o), "synchronous = FULL")
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, classed(err))
	}
	if o.NoCreate {
		if err := hasLedger(c); err != nil {
			return nil, fmt.Errorf("open store %s: %w", path, classed(errors.Join(err, c.close())))
		}
	}
	if err := prepareLive(ctx, c, o.busyTimeout()); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, classed(errors.Join(err, c.close())))
	}
	batch := maxBatch
	if o.OneByOne {
		batch = 1
	}
	return &Store{w: startWriter(&session{c: c}, batch), r: newReaders(path, busySetting(o))}, nil
}

func busySetting(o Options) string {
	return fmt.Sprintf("busy_timeout = %d", o.busyTimeout().Milliseconds())
}

// prepareLive turns to WAL and creates the tables. SQLite answers some of the
// conflicts of two processes that do this at once with BUSY without waiting, as
// waiting would not end them for both; so the waiting is here.
func prepareLive(ctx context.Context, c *conn, patience time.Duration) error {
	enough := time.After(patience)
	for {
		err := ensureWAL(c)
		if err == nil {
			err = ensureSchema(c, true)
		}
		if err == nil || !errors.Is(classed(err), engine.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-enough:
			return err
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func ensureWAL(c *conn) error {
	row, err := c.row("PRAGMA journal_mode")
	if err != nil || row[0] == "wal" {
		return err
	}
	row, err = c.row("PRAGMA journal_mode = WAL")
	if err == nil && row[0] != "wal" {
		err = fmt.Errorf("%w: this file or file system cannot have a write-ahead log (journal mode is %v)", engine.ErrUnavailable, row[0])
	}
	return err
}

// Claim is [engine.Store.Claim]. A claim whose context ends before its turn
// comes is not made.
func (s *Store) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (v engine.Verdict, err error) {
	err = s.w.do(ctx, &operation{
		run: func(s *session) error {
			v, err = s.claim(c, p)
			return err
		},
		again: func(s *session) (bool, error) {
			r, err := s.c.record(c.Key)
			return r != nil && v.Outcome == engine.Fresh && r.Fence == v.Record.Fence, err
		},
	})
	if err != nil {
		return engine.Verdict{}, fmt.Errorf("claim key: %w", err)
	}
	return v, nil
}

// Complete is [engine.Store.Complete]. The effect runs on the writer's
// goroutine. Once begun it does not look at ctx: a completion is not undone
// because its client went away.
func (s *Store) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (r engine.Record, settled engine.Settlement, err error) {
	steady := context.WithoutCancel(ctx)
	err = s.w.do(ctx, &operation{
		steady: true,
		run: func(s *session) error {
			r, settled, err = s.complete(steady, c, p, effect)
			return err
		},
		again: func(s *session) (bool, error) { return s.settledAs(c, settled) },
	})
	if err != nil {
		return engine.Record{}, 0, fmt.Errorf("complete claim: %w", err)
	}
	return r, settled, nil
}

// settledAs reports whether a completion stands in the file, after a commit
// that gave no answer.
func (s *session) settledAs(c engine.Completion, settled engine.Settlement) (bool, error) {
	r, err := s.c.record(c.Key)
	switch {
	case err != nil:
		return false, err
	case settled == engine.Kept:
		return r != nil && r.State == engine.Completed && r.Fence == c.Fence, nil
	case settled == engine.Released:
		return r == nil || r.Fence != c.Fence, nil
	}
	return true, nil // Lost wrote nothing, so there was nothing to lose
}

// Purge is [engine.Store.Purge].
func (s *Store) Purge(ctx context.Context, cutoff, now time.Time, limit int) (n int, err error) {
	err = s.w.do(ctx, &operation{run: func(s *session) error {
		n, err = s.c.purge(cutoff, now, limit)
		return err
	}})
	if err != nil {
		return 0, fmt.Errorf("purge: %w", err)
	}
	return n, nil
}

// Update is [engine.Store.Update].
func (s *Store) Update(ctx context.Context, fn func(engine.Tx) error) error {
	err := s.w.do(ctx, &operation{run: func(s *session) error { return s.update(fn) }})
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	return nil
}

// View is [engine.Store.View], on a connection of its own: it neither waits for
// a writer nor holds one up.
func (s *Store) View(ctx context.Context, fn func(engine.Tx) error) error {
	if err := s.r.view(ctx, fn); err != nil {
		return fmt.Errorf("view: %w", classed(err))
	}
	return nil
}

// Newest is key and instant of the record that was claimed last, nil when there is
// none: of them [engine.Policy.CheckScope] can tell the scope of all. The rest is
// not looked at, as damage to one record is not to keep a server from the others.
func (s *Store) Newest(ctx context.Context) (r *engine.Record, err error) {
	err = s.r.view(ctx, func(t engine.Tx) error {
		c := t.(*tx).s.c
		row, err := c.row(sqlNewest)
		if err != nil || row == nil {
			return err
		}
		columns := columns{row: row}
		key := engine.ScopedKey{ClientID: columns.text(), Endpoint: columns.text(), Key: columns.text()}
		r = &engine.Record{Key: key, ClaimedAt: engine.InstantOf(columns.integer())}
		return columns.damaged("a key")
	})
	if err != nil {
		return nil, fmt.Errorf("read the newest record: %w", classed(err))
	}
	return r, nil
}

// Close finishes what is queued and closes the file.
func (s *Store) Close() error {
	if err := errors.Join(s.r.close(), s.w.close()); err != nil {
		return fmt.Errorf("close store: %w", classed(err))
	}
	return nil
}
