package sqlitestore

import (
	"context"
	"errors"
	"fmt"

	"idem/engine"
)

// session runs the store's operations on one connection, inside a transaction
// that its owner begins and commits. It belongs to one goroutine at a time.
type session struct {
	c *conn
	// last is the last fence token given out, as of this transaction. It is
	// read with the write lock held, and written with the claims it went to.
	last, written engine.Fence
	// chain is the end of the chain over the transfers, as of this transaction;
	// sealed is what the file has.
	chain, sealed chain
}

// begin takes the write lock at once. A deferred transaction would take it at
// its first write, where SQLite does not wait but fails.
func (s *session) begin() error {
	if _, err := s.c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := s.readCounters(); err != nil {
		return errors.Join(err, s.rollback())
	}
	return nil
}

// readCounters reads what goes on from one transaction to the next.
func (s *session) readCounters() error {
	row, err := s.c.row(sqlCounters)
	if err != nil {
		return err
	}
	if row == nil {
		return fmt.Errorf("%w: fence_counter or chain_head is empty", engine.ErrDamaged)
	}
	cols := columns{row: row}
	s.last = engine.Fence(cols.integer())
	s.chain = chainOf(&cols)
	s.written, s.sealed = s.last, s.chain
	return cols.damaged("fence_counter or chain_head")
}

// flush writes what was kept back for the end of the transaction.
func (s *session) flush() error {
	if err := s.seal(); err != nil {
		return fmt.Errorf("write the chain's end: %w", err)
	}
	if s.last == s.written {
		return nil
	}
	if _, err := s.c.exec(sqlFenceUpdate, int64(s.last)); err != nil {
		return fmt.Errorf("write fence counter: %w", err)
	}
	s.written = s.last
	return nil
}

func (s *session) commit() error {
	_, err := s.c.exec("COMMIT")
	return err
}

func (s *session) rollback() error {
	_, err := s.c.exec("ROLLBACK")
	return err
}

// atomically runs one operation so that its error undoes it and nothing else.
func (s *session) atomically(op func() error) (err error) {
	if _, err := s.c.exec("SAVEPOINT operation"); err != nil {
		return err
	}
	last, chain, undone := s.last, s.chain, true
	defer func() {
		if undone { // also when op panics
			s.last, s.chain = last, chain
			err = errors.Join(err, s.undoSavepoint())
		}
	}()
	if err := op(); err != nil {
		return err
	}
	if _, err := s.c.exec("RELEASE operation"); err != nil {
		return fmt.Errorf("%w: %w", errAborted, err)
	}
	undone = false
	return nil
}

// errAborted: SQLite ended the whole transaction, as it does when the disk is
// full. What ran before in it is gone; what would run after would be outside.
var errAborted = errors.New("the transaction was aborted")

func (s *session) undoSavepoint() error {
	if _, err := s.c.exec("ROLLBACK TO operation"); err != nil {
		return fmt.Errorf("%w: %w", errAborted, err)
	}
	_, err := s.c.exec("RELEASE operation")
	return err
}

// claim inserts first. Only the conflict leads to the record and the rules.
func (s *session) claim(c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	c.Now = engine.UTC(c.Now)
	fence := s.last + 1
	v, err := engine.Decide(nil, c, fence, p)
	if err != nil {
		return engine.Verdict{}, err
	}
	inserted, err := s.insert(&v.Record)
	if err != nil {
		return engine.Verdict{}, fmt.Errorf("insert record: %w", err)
	}
	if !inserted {
		return s.contest(c, fence, p)
	}
	s.last = fence
	return v, nil
}

// contest decides on a claim of a key that has a record.
func (s *session) contest(c engine.Claim, fence engine.Fence, p engine.Policy) (engine.Verdict, error) {
	existing, err := s.c.record(c.Key)
	if err != nil {
		return engine.Verdict{}, fmt.Errorf("read record: %w", err)
	}
	if existing == nil {
		return engine.Verdict{}, fmt.Errorf("%w: the key conflicts and has no record", engine.ErrDamaged)
	}
	v, err := engine.Decide(existing, c, fence, p)
	if err != nil || v.Outcome != engine.Fresh {
		return v, err
	}
	if err := s.replace(&v.Record, existing.Fence); err != nil {
		return engine.Verdict{}, fmt.Errorf("replace record: %w", err)
	}
	s.last = fence
	return v, nil
}

// complete checks the token, runs the effect and stores its reply.
func (s *session) complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	c.Now = engine.UTC(c.Now)
	existing, err := s.c.record(c.Key)
	if err != nil {
		return engine.Record{}, 0, fmt.Errorf("read record: %w", err)
	}
	if !engine.Holds(existing, c, p) {
		return engine.Record{}, engine.Lost, nil
	}
	t := &tx{s: s, claim: existing}
	reply, err := result(ctx, effect, t, &t.failed)
	if err != nil {
		return engine.Record{}, 0, err
	}
	next, settled := engine.Settle(*existing, c, reply, p)
	if settled == engine.Released {
		err = s.release(existing)
	} else {
		err = s.store(&next)
	}
	if err != nil {
		return engine.Record{}, 0, fmt.Errorf("store result: %w", err)
	}
	return next, settled, nil
}

// result runs the effect of a completion. A write that failed fails it, whether
// the effect looked at that or not. No header lines are nil, as they come back.
func result(ctx context.Context, effect engine.Effect, t engine.Tx, failed *error) (engine.Reply, error) {
	reply, err := effect(ctx, t)
	if err == nil {
		err = *failed
	}
	if err != nil {
		return engine.Reply{}, fmt.Errorf("effect: %w", err)
	}
	if len(reply.Header) == 0 {
		reply.Header = nil
	}
	return reply, nil
}

// update runs fn outside of any claim.
func (s *session) update(fn func(engine.Tx) error) error {
	t := &tx{s: s}
	if err := fn(t); err != nil {
		return err
	}
	return t.failed
}
