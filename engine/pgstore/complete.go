package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

// Complete is [engine.Store.Complete]. Once begun it does not look at ctx. The
// effect is run again when the database refuses the transaction because of
// others, never after a commit that gave no answer: then the record is read
// again, and ErrUnknownCommit is left for where that is not possible.
func (s *Store) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	c.Now = engine.UTC(c.Now)
	d := completing{s: s, completion: c, policy: p, effect: effect}
	err := s.write(ctx, d.run)
	if errors.Is(err, engine.ErrUnknownCommit) {
		err = d.settleUnknown(ctx, err)
	}
	switch {
	case errors.Is(err, errNotHeld):
		return engine.Record{}, engine.Lost, nil
	case err != nil:
		return engine.Record{}, 0, fmt.Errorf("complete claim: %w", err)
	}
	return d.next, d.settled, nil
}

// errNotHeld ends the transaction of a worker whose claim is no longer its own.
var errNotHeld = errors.New("the claim is no longer held")

// completing is a completion on its way.
type completing struct {
	s          *Store
	completion engine.Completion
	policy     engine.Policy
	effect     engine.Effect

	held    engine.Record // the claim, as it was found
	next    engine.Record // the record to be stored
	settled engine.Settlement
}

// run checks the token, runs the effect and stores its reply.
func (d *completing) run(ctx context.Context, t *tx) error {
	existing, err := scanRecord(t.pg.QueryRow(ctx, sqlRecordLock, keyColumns(d.completion.Key)...), d.completion.Key)
	if err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	if !engine.Holds(existing, d.completion, d.policy) {
		return errNotHeld
	}
	d.held, t.claim = *existing, existing
	reply, err := d.effect(ctx, t)
	if err := t.outcome(err); err != nil {
		return fmt.Errorf("effect: %w", err)
	}
	d.next, d.settled = engine.Settle(d.held, d.completion, owned(reply), d.policy)
	if err := d.store(ctx, t.pg); err != nil {
		return fmt.Errorf("store result: %w", err)
	}
	return nil
}

func (d *completing) store(ctx context.Context, pg pgx.Tx) error {
	text, args := sqlRelease, append(keyColumns(d.held.Key), int64(d.held.Fence))
	if d.settled == engine.Kept {
		at, err := d.next.Instants()
		if err != nil {
			return err
		}
		r, sum := d.next.Reply, d.next.Checksum()
		text = sqlComplete
		args = append(args, at.Completed, r.Status, stored(r.Reason), encodeHeader(r.Header), r.Body, r.NotKept, sum[:])
	}
	tag, err := pg.Exec(ctx, text, args...)
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("%w: the record changed under its lock", engine.ErrDamaged)
	}
	return err
}

// settleUnknown finds out what became of a commit that was sent and not
// answered, by what stands in the database once its transaction is over.
func (d *completing) settleUnknown(ctx context.Context, unknown error) error {
	found, err := d.s.afterwards(ctx, d.held.Key)
	if err != nil {
		return fmt.Errorf("%w; reading the record again: %w", unknown, err)
	}
	switch {
	case found != nil && found.Fence == d.held.Fence && found.State == engine.Completed:
		d.next, d.settled = *found, engine.Kept
		return nil
	case found != nil && found.Fence == d.held.Fence:
		return fmt.Errorf("%w: the connection broke at the commit and nothing was committed", engine.ErrUnavailable)
	case found != nil && found.Life == d.held.Life:
		return errNotHeld // taken over, so ours was rolled back
	case d.settled == engine.Released:
		return nil
	}
	// The key has ended this life. Whether by our completion's expiry or by our
	// claim's purge, the record no longer says.
	return unknown
}

// afterwards reads a record when whatever transaction held it has ended. It asks
// again until Options.Settle has passed: a database that restarts takes a while.
func (s *Store) afterwards(ctx context.Context, key engine.ScopedKey) (found *engine.Record, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opt.Settle)
	defer cancel()
	for try := 1; ; try++ {
		err = s.transact(ctx, pgx.TxOptions{}, func(pg pgx.Tx) (err error) {
			found, err = scanRecord(pg.QueryRow(ctx, sqlRecordLock, keyColumns(key)...), key)
			if err == nil {
				err = errReadOnly // nothing to commit
			}
			return err
		})
		if errors.Is(err, errReadOnly) {
			return found, nil
		}
		if s.pause(ctx, try) != nil {
			return nil, classed(err)
		}
	}
}
