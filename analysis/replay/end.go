package replay

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"idem/engine"
)

// completeDue applies the completions due before the next row arrives, all of
// them after the last row.
func (c *Course) completeDue(ctx context.Context, next *Row, mine *running, out *Sent) error {
	until := time.Unix(1<<40, 0) // beyond any due time
	if next != nil {
		until, _ = c.clock.at(next.at)
	}
	for done := c.queue.popDue(until); done != nil; done = c.queue.popDue(until) {
		if err := c.complete(ctx, done, out); err != nil {
			return err
		}
		if done != mine && !done.twin {
			out.Late = append(out.Late, &done.step)
		}
		if err := c.wake(ctx, done, out); err != nil {
			return err
		}
	}
	return nil
}

// wake lets the stalled worker go on whose claim the run that has just ended had
// taken over.
func (c *Course) wake(ctx context.Context, heir *running, out *Sent) error {
	for _, r := range c.abandoned {
		if r.heir != heir || r.ended {
			continue
		}
		r.due = heir.due
		if err := c.complete(ctx, r, out); err != nil {
			return err
		}
		out.Late = append(out.Late, &r.step)
		if err := c.wake(ctx, r, out); err != nil {
			return err
		}
	}
	return nil
}

// complete ends a running request at its due time: the effect and the record in
// one transaction, after the fence check.
func (c *Course) complete(ctx context.Context, done *running, out *Sent) error {
	completion := engine.Completion{Key: done.key, Fence: done.step.Fence, Now: done.due}
	reply := engine.Reply{}
	_, settlement, err := c.store.Complete(ctx, completion, c.policy, func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		var err error
		reply, err = c.run(ctx, tx, done)
		return reply, err
	})
	if err != nil {
		return fmt.Errorf("complete request %d: %w", done.n, err)
	}
	if settlement == engine.Lost {
		reply = engine.Reply{Status: c.policy.OnInFlight, Reason: ReasonClaimLost}
	}
	if c.inFlight[done.step.Life] == done {
		delete(c.inFlight, done.step.Life)
	}
	done.ended = true
	done.moved = success(reply.Status) && done.answer == nil
	event := Event{N: done.n, Seq: done.seq, Twin: done.twin, At: done.due, Settlement: settlement, Completion: completion, Answer: engine.AnswerOf(reply, false)}
	if done.moved {
		event.Moved = &done.order
	}
	c.tell(event)
	if done.twin {
		return c.endTwin(done, &out.Delta)
	}
	return c.settle(done, reply, out)
}

// run is the replayed handler.
func (c *Course) run(ctx context.Context, tx engine.Tx, r *running) (engine.Reply, error) {
	switch {
	case r.answer != nil:
		return *r.answer, nil
	case !c.options.Lean:
		return engine.Pay(ctx, tx, r.order, r.transferID(), r.due)
	}
	refused, err := engine.Move(ctx, tx, r.order, r.transferID(), r.due)
	if err != nil || refused == nil {
		return engine.Reply{Status: 201}, err
	}
	return refused.Reply(), nil
}

// TransferID is the id of the transfer that the replay makes for a request.
func TransferID(seq int64) string { return "T" + strconv.FormatInt(seq, 10) }

// settle books how a running request ended, and what that says of the retries
// that waited for it.
func (c *Course) settle(done *running, reply engine.Reply, out *Sent) error {
	step, delta := &done.step, &out.Delta
	step.Done, step.DoneAt = out.Step.N, done.due
	step.Status, step.Reason = reply.Status, reply.Reason
	delta.Running--
	if done.moved {
		if err := c.book(done, delta); err != nil {
			return err
		}
		return done.tellWaiting(true, out)
	}
	step.Class = Refused
	delta.Refused++
	switch {
	case reply.Reason == ReasonClaimLost:
		delta.LostClaims++
	case done.logged && reply.Reason == ReasonLoggedError:
		delta.LoggedErrors++
	}
	return done.attributeUnpaid(out)
}

// attributeUnpaid books what v1 moved for a request that ended without money: a
// duplicate where the one that took its claim over has paid, else only refused.
func (r *running) attributeUnpaid(out *Sent) error {
	heir := r.last()
	switch {
	case heir == r:
		if err := addMoves(&out.Delta.RefusedV1, r.v1); err != nil {
			return err
		}
		return r.tellWaiting(false, out)
	case !heir.ended:
		r.heir = heir
		r.bequeath()
		return nil
	}
	r.attributed = true
	if err := r.step.attribute(r.v1, heir.moved, &out.Delta); err != nil {
		return err
	}
	return r.tellWaiting(heir.moved, out)
}

// tellWaiting attributes what v1 moved for the retries that were turned away
// while the request ran.
func (r *running) tellWaiting(moved bool, out *Sent) error {
	r.attributed = true
	for _, w := range r.waiting {
		var s Step
		if err := s.attribute(w.v1, moved, &out.Delta); err != nil {
			return err
		}
		if s.extra {
			out.Extra = append(out.Extra, w.n)
		}
	}
	return nil
}

// book enters a transfer that the engine made beside what v1 moved for the same
// request: the one is the other, and v1's further ones are duplicates.
func (c *Course) book(done *running, delta *Counters) error {
	step, o := &done.step, &done.order
	step.Class, step.Moved, step.Currency = Created, o.Amount, o.Currency
	delta.Created++
	delta.Transfers++
	c.books.move(o.Src.Text, o.Dst.Text, o.Amount)
	if err := delta.Transferred.Add(o.Currency, o.Amount); err != nil {
		return err
	}
	return step.pair(done.v1, v1Move{amount: o.Amount, currency: o.Currency}, delta)
}
