package replay

import (
	"container/heap"
	"context"
	"fmt"
	"strconv"
	"time"

	"idem/engine"
)

// send sends one row through the engine: its claim at its arrival, then the
// completions that are due before the next row arrives. That is the same order
// as "before a request arrives, those due by then", and it lets the step of a
// request that nobody overlaps show how it ended.
func (p *Player) send(ctx context.Context, r *row) (Step, error) {
	var delta Counters
	now, err := p.arrive(ctx, r, &delta)
	if err != nil {
		return Step{}, err
	}
	p.clock.now = now
	step, mine, err := p.claim(ctx, r, now, &delta)
	if err != nil {
		return Step{}, err
	}
	late, err := p.completeDue(ctx, step, mine, &delta)
	if err != nil {
		return Step{}, err
	}
	if mine != nil && mine.step.Done != 0 {
		step = mine.step
	}
	p.books.note(&step, r.src, r.dst)
	p.frontier = step.N
	if err := p.sums.add(&delta); err != nil {
		return Step{}, fmt.Errorf("sum up: %w", err)
	}
	p.ahead = p.ahead[1:]
	return step, p.journal.write(&step, late, &delta, &p.sums)
}

// arrive reads the clock for a row and counts what every row counts for.
func (p *Player) arrive(ctx context.Context, r *row, delta *Counters) (time.Time, error) {
	if !p.started {
		start, err := p.startOfDay(ctx, r)
		if err != nil {
			return start, err
		}
		p.clock.now, p.first, p.started = start, start, true
	}
	now, reading := p.clock.at(r.at)
	delta.Requests = 1
	switch reading {
	case readBack:
		delta.ClockBack = 1
	case readNone:
		delta.UnreadableTimes = 1
	}
	delta.V1Transfers = int64(len(r.v1))
	for i := range r.v1 {
		p.books.moveV1(&r.v1[i])
	}
	return now, addMoves(&delta.V1Total, r.v1)
}

// startOfDay is the first time that can be read: rows before it happen then.
func (p *Player) startOfDay(ctx context.Context, r *row) (time.Time, error) {
	if !r.at.IsZero() {
		return r.at, nil
	}
	for req, err := range p.in.Requests(ctx, 1) {
		if err != nil {
			return time.Time{}, err
		}
		if !req.ReceivedAt.IsZero() {
			return req.ReceivedAt, nil
		}
	}
	return time.Unix(0, 0).UTC(), nil
}

// claim asks the engine for the row's key. For a fresh outcome it returns the
// claim, queued for its completion; else the step is final.
func (p *Player) claim(ctx context.Context, r *row, now time.Time, delta *Counters) (Step, *running, error) {
	step := Step{N: r.n, Seq: r.seq, At: now}
	if err := step.countV1(r.v1); err != nil {
		return step, nil, err
	}
	if r.skip != "" {
		return p.skip(step, r, delta)
	}
	claim := r.claim
	claim.Now = now
	verdict, err := p.store.Claim(ctx, claim, p.policy)
	if err != nil {
		return step, nil, fmt.Errorf("claim key: %w", err)
	}
	step.Life, step.Fence, step.Attempt = verdict.Record.Life, verdict.Record.Fence, verdict.Record.Attempt
	if verdict.Outcome == engine.Fresh {
		mine, err := p.start(step, r, claim, &verdict, delta)
		return mine.step, mine, err
	}
	if step.Holder, err = p.holder(verdict.Record.Life); err != nil {
		return step, nil, err
	}
	err = p.turnAway(&step, r, &verdict, delta)
	return step, nil, err
}

// skip refuses a row for which no key is looked at.
func (p *Player) skip(step Step, r *row, delta *Counters) (Step, *running, error) {
	step.Class, step.Status, step.Reason = Refused, 400, r.skip
	delta.Refused++
	if r.skip == ReasonNoKey {
		delta.Keyless++
	} else {
		delta.Unusable++
	}
	return step, nil, addMoves(&delta.UnusableV1, r.v1)
}

// start queues the completion of a fresh claim.
func (p *Player) start(step Step, r *row, claim engine.Claim, v *engine.Verdict, delta *Counters) (*running, error) {
	step.Holder = step.N
	delta.Running++
	if v.Before != nil {
		prior, err := p.holder(v.Before.Life)
		if err != nil {
			return nil, err
		}
		step.prior, step.Expired = prior, v.Expired
		if v.Expired {
			delta.ExpiredReruns++
		} else {
			delta.Takeovers++
		}
	}
	mine := &running{due: claim.Now.Add(r.duration), row: *r, step: step, key: claim.Key}
	heap.Push(&p.queue, mine)
	p.inFlight[step.Life] = mine
	return mine, nil
}

// turnAway settles a row that the engine answered without running it.
func (p *Player) turnAway(step *Step, r *row, v *engine.Verdict, delta *Counters) error {
	answer := v.Answer(p.policy)
	step.Status = answer.Status
	if answer.Reason != nil {
		step.Reason = *answer.Reason
	}
	switch v.Outcome {
	case engine.Replay:
		step.Class = Replayed
		delta.Replayed++
	case engine.InFlight:
		step.Class = InFlight
		delta.InFlight++
	case engine.Mismatch:
		step.Class = Mismatch
		delta.Mismatch++
	}
	if first := p.inFlight[v.Record.Life]; first != nil && v.Record.State == engine.InProgress {
		first.waiting = append(first.waiting, waiting{step.N, r.v1})
		return nil
	}
	return step.attribute(r.v1, success(v.Record.Reply.Status), delta)
}

// success: a reply for which money moved.
func success(status int) bool { return status >= 200 && status < 300 }

// completeDue applies the completions due before the next row arrives, all of
// them after the last row. It returns the steps of other positions that ended.
func (p *Player) completeDue(ctx context.Context, step Step, mine *running, delta *Counters) (late []*Step, err error) {
	until := time.Unix(1<<40, 0) // beyond any due time
	next, ok, err := p.take(1)
	if err != nil {
		return nil, err
	}
	if ok {
		until, _ = p.clock.at(next.at)
	}
	for done := p.queue.popDue(until); done != nil; done = p.queue.popDue(until) {
		if err := p.complete(ctx, done, step.N, delta); err != nil {
			return nil, err
		}
		if done != mine {
			late = append(late, &done.step)
		}
	}
	return late, nil
}

// complete ends a running request at its due time: the effect and the record in
// one transaction, after the fence check.
func (p *Player) complete(ctx context.Context, done *running, at int64, delta *Counters) error {
	completion := engine.Completion{Key: done.key, Fence: done.step.Fence, Now: done.due}
	reply := engine.Reply{}
	_, settlement, err := p.store.Complete(ctx, completion, p.policy, func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		var err error
		reply, err = done.row.run(ctx, tx, done.due)
		return reply, err
	})
	if err != nil {
		return fmt.Errorf("complete request %d: %w", done.row.n, err)
	}
	if settlement == engine.Lost {
		reply = engine.Reply{Status: p.policy.OnInFlight, Reason: ReasonClaimLost}
		delta.LostClaims++
	}
	if p.inFlight[done.step.Life] == done {
		delete(p.inFlight, done.step.Life)
	}
	return p.settle(done, reply, at, delta)
}

// run is the replayed handler.
func (r *row) run(ctx context.Context, tx engine.Tx, at time.Time) (engine.Reply, error) {
	if r.answer != nil {
		return *r.answer, nil
	}
	return engine.Pay(ctx, tx, r.order, TransferID(r.seq), at)
}

// TransferID is the id of the transfer that the replay makes for a request.
func TransferID(seq int64) string { return "T" + strconv.FormatInt(seq, 10) }

// settle books how a running request ended, and what that says of the retries
// that waited for it.
func (p *Player) settle(done *running, reply engine.Reply, at int64, delta *Counters) error {
	step := &done.step
	step.Done, step.DoneAt = at, done.due
	step.Status, step.Reason = reply.Status, reply.Reason
	delta.Running--
	moved := success(reply.Status) && done.row.answer == nil
	if moved {
		if err := p.book(done, delta); err != nil {
			return err
		}
	} else {
		step.Class = Refused
		delta.Refused++
		if done.row.logged && reply.Reason == ReasonLoggedError {
			delta.LoggedErrors++
		}
		if err := addMoves(&delta.RefusedV1, done.row.v1); err != nil {
			return err
		}
	}
	for _, w := range done.waiting {
		extra := Step{}
		if err := extra.attribute(w.v1, moved, delta); err != nil {
			return err
		}
		if err := p.journal.markExtra(w.n, extra); err != nil {
			return err
		}
	}
	return nil
}

// book enters a transfer that the engine made beside what v1 moved for the same
// request: the one is the other, and v1's further ones are duplicates.
func (p *Player) book(done *running, delta *Counters) error {
	step, o := &done.step, &done.row.order
	step.Class, step.Moved, step.Currency = Created, o.Amount, o.Currency
	delta.Created++
	delta.Transfers++
	p.books.move(o.Src.Text, o.Dst.Text, o.Amount)
	if err := delta.Transferred.Add(o.Currency, o.Amount); err != nil {
		return err
	}
	return step.pair(done.row.v1, v1Move{amount: o.Amount, currency: o.Currency}, delta)
}

// holder is the position whose fresh claim began a life.
func (p *Player) holder(life engine.Fence) (int64, error) {
	if running := p.inFlight[life]; running != nil {
		return running.step.Holder, nil
	}
	return p.journal.holder(life)
}
