package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"idem/engine"
)

// acquire takes a connection of the pool, waiting at most Options.Wait.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if s.closed.Load() {
		return nil, errClosed
	}
	waiting, cancel := context.WithTimeout(ctx, s.opt.Wait)
	defer cancel()
	conn, err := s.pool.Acquire(waiting)
	switch {
	case err == nil:
		return conn, nil
	case s.closed.Load():
		return nil, errClosed
	case ctx.Err() != nil || waiting.Err() == nil:
		return nil, err
	case s.pool.Stat().AcquiredConns() < s.pool.Config().MaxConns:
		return nil, fmt.Errorf("%w: no connection within %s", engine.ErrUnavailable, s.opt.Wait)
	}
	return nil, fmt.Errorf("%w: all %d connections are in use", engine.ErrBusy, s.pool.Config().MaxConns)
}

// steady is the context of an operation that has begun: it is finished though
// its client goes away, within Options.Limit. It fails when ctx has ended before.
func (s *Store) steady(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	steady, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.Limit)
	return steady, cancel, nil
}

// retry runs op until it succeeds, fails for a reason of its own, or has been
// refused too often.
func (s *Store) retry(ctx context.Context, op func() error) error {
	for try := 1; ; try++ {
		err := op()
		if err == nil || errors.Is(err, engine.ErrUnknownCommit) || !again(err) || try >= s.opt.Tries {
			return classed(err)
		}
		if s.pause(ctx, try) != nil {
			return classed(err)
		}
	}
}

// maxPause keeps the last pauses short: what is waited for are transactions,
// which take milliseconds.
const maxPause = 100 * time.Millisecond

// pause waits a random part of a time that doubles with each try, so that those
// who met do not meet again.
func (s *Store) pause(ctx context.Context, try int) error {
	longest := min(time.Millisecond<<min(try, 10), maxPause)
	timer := time.NewTimer(time.Duration(s.opt.Random() * float64(longest)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write runs body in a read-write transaction, again when it may succeed then.
func (s *Store) write(ctx context.Context, body func(context.Context, *tx) error) error {
	ctx, cancel, err := s.steady(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	var order lockOrder
	return s.retry(ctx, func() error {
		return s.transact(ctx, pgx.TxOptions{}, func(pg pgx.Tx) error {
			t := &tx{pg: pg, order: &order}
			if err := t.lockAhead(ctx); err != nil {
				return err
			}
			return t.outcome(body(ctx, t))
		})
	})
}

// transact runs body in one transaction, which is rolled back when body fails
// or panics.
func (s *Store) transact(ctx context.Context, o pgx.TxOptions, body func(pgx.Tx) error) error {
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	pg, err := conn.Conn().BeginTx(ctx, o)
	if err != nil {
		return err
	}
	over := false
	defer func() {
		if !over {
			s.rollback(ctx, pg)
		}
	}()
	if err := body(pg); err != nil {
		return err
	}
	over = true
	return s.commit(ctx, pg)
}

// rollback gives no error: where it fails, the driver closes the connection, and
// that rolls back as well.
func (s *Store) rollback(ctx context.Context, pg pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.Wait)
	defer cancel()
	_ = pg.Rollback(ctx)
}

// commit fails with ErrUnknownCommit where the transaction may have been
// committed; every other error says that it was not.
func (s *Store) commit(ctx context.Context, pg pgx.Tx) error {
	err := pg.Commit(ctx)
	if err == nil || refusedCommit(err) {
		return err
	}
	return fmt.Errorf("%w: %w", engine.ErrUnknownCommit, err)
}

// refusedCommit reports whether an error of COMMIT says that nothing was
// committed, which only the database itself can say. A connection that ends,
// also by a shutdown, says nothing; nor does the driver's SafeToRetry: it is
// true for a connection that broke while the answer to COMMIT was awaited.
func refusedCommit(err error) bool {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		return errors.Is(err, pgx.ErrTxCommitRollback)
	}
	severity := answer.SeverityUnlocalized
	if severity == "" {
		severity = answer.Severity
	}
	return severity == "ERROR" && answer.Code != codeUnknownOutcome &&
		!strings.HasPrefix(answer.Code, "08") && !strings.HasPrefix(answer.Code, "57")
}
