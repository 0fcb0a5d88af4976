package replay

import (
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"

	"idem/engine"
)

// Send sends one row through the engine: its claim at its arrival, then the
// completions that are due before the next row arrives, all of them where next
// is nil. That is the same order as "before a request arrives, those due by
// then", and it lets the step of a request that nobody overlaps show how it
// ended. After an error the course cannot go on.
func (c *Course) Send(ctx context.Context, r, next *Row) (*Sent, error) {
	out := &c.sent
	*out = Sent{Late: out.Late[:0], Extra: out.Extra[:0]}
	now, err := c.arrive(r, &out.Delta)
	if err != nil {
		return nil, err
	}
	c.clock.now = now
	mine, err := c.claim(ctx, r, now, out)
	if err != nil {
		return nil, err
	}
	if err := c.completeDue(ctx, next, mine, out); err != nil {
		return nil, err
	}
	if next == nil {
		if err := c.closeDay(out); err != nil {
			return nil, err
		}
	}
	if mine != nil {
		mine.step.Twin = out.Step.Twin
		out.Step = mine.step
	}
	c.books.note(&out.Step, r.src, r.dst)
	if err := c.sums.add(&out.Delta); err != nil {
		return nil, fmt.Errorf("sum up: %w", err)
	}
	return out, nil
}

// arrive reads the clock for a row and counts what every row counts for.
func (c *Course) arrive(r *Row, delta *Counters) (time.Time, error) {
	now, reading := c.clock.at(r.at)
	delta.Requests = 1
	switch reading {
	case readBack:
		delta.ClockBack = 1
	case readNone:
		delta.UnreadableTimes = 1
	}
	delta.V1Transfers = int64(len(r.v1))
	for i := range r.v1 {
		c.books.moveV1(&r.v1[i])
	}
	return now, addMoves(&delta.V1Total, r.v1)
}

// claim asks the engine for the row's key. For a fresh outcome it returns the
// claim, queued for its completion; else the step is final.
func (c *Course) claim(ctx context.Context, r *Row, now time.Time, out *Sent) (*running, error) {
	step := &out.Step
	step.N, step.Seq, step.At = r.n, r.seq, now
	if err := step.countV1(r.v1); err != nil {
		return nil, err
	}
	claim, ok := r.claim(c.policy)
	if !ok {
		return nil, c.refuse(r, step, &out.Delta)
	}
	claim.Now = now
	claim.Lease = c.lease(r)
	verdict, err := c.store.Claim(ctx, claim, c.policy)
	if err != nil {
		return nil, fmt.Errorf("claim key: %w", err)
	}
	step.Life, step.Fence, step.Attempt = verdict.Record.Life, verdict.Record.Fence, verdict.Record.Attempt
	var mine *running
	if verdict.Outcome == engine.Fresh {
		mine, err = c.start(*step, r, &claim, &verdict, &out.Delta)
	} else {
		err = c.turnAway(step, r, &verdict, &out.Delta)
	}
	if err != nil || !slices.Contains(c.options.RaceAt, r.seq) {
		return mine, err
	}
	if verdict, err = c.store.Claim(ctx, claim, c.policy); err != nil {
		return nil, fmt.Errorf("claim key for the twin: %w", err)
	}
	c.race(claim, r, &verdict, out)
	return mine, nil
}

// lease is how long the row's claim is protected. A replayed worker renews its
// lease until it is done.
func (c *Course) lease(r *Row) time.Duration {
	if c.options.renews(r.seq) {
		return max(c.policy.Lease, r.duration)
	}
	return c.policy.Lease
}

// refuse settles a row for which no key is looked at.
func (c *Course) refuse(r *Row, step *Step, delta *Counters) error {
	step.Class, step.Status, step.Reason = Refused, 400, ReasonUnusable
	delta.Refused++
	if r.skip == ReasonNoKey {
		step.Reason = ReasonNoKey
		delta.Keyless++
	} else {
		delta.Unusable++
	}
	c.tell(Event{N: r.n, Seq: r.seq, At: c.clock.now, Row: r, Answer: engine.Answer{Status: step.Status, Reason: &step.Reason}})
	return addMoves(&delta.UnusableV1, r.v1)
}

// start queues the completion of a fresh claim.
func (c *Course) start(step Step, r *Row, claim *engine.Claim, v *engine.Verdict, delta *Counters) (*running, error) {
	step.Holder = step.N
	delta.Running++
	if v.Before != nil {
		prior, err := c.holder(v.Before.Life)
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
	c.tell(Event{N: r.n, Seq: r.seq, At: c.clock.now, Row: r, Verdict: v})
	mine := &running{due: claim.Now.Add(r.duration), work: r.work, step: step, key: claim.Key}
	if v.Takeover() {
		c.follow(mine, c.inFlight[step.Life])
	}
	c.inFlight[step.Life] = mine
	c.past.began(step.Life, step.N)
	switch {
	case slices.Contains(c.options.CrashAt, r.seq):
		mine.step.Done, mine.step.DoneAt = step.N, claim.Now
		c.crash(mine, delta)
		c.abandoned = append(c.abandoned, mine)
	case slices.Contains(c.options.StallAt, r.seq):
		c.abandoned = append(c.abandoned, mine)
	default:
		c.push(mine)
	}
	return mine, nil
}

func (c *Course) push(r *running) { heap.Push(&c.queue, r) }

// turnAway settles a row that the engine answered without running it.
func (c *Course) turnAway(step *Step, r *Row, v *engine.Verdict, delta *Counters) error {
	answer := v.Answer(c.policy)
	c.tell(Event{N: r.n, Seq: r.seq, At: c.clock.now, Row: r, Verdict: v, Answer: answer})
	var err error
	if step.Holder, err = c.holder(v.Record.Life); err != nil {
		return err
	}
	step.Status, step.Class = answer.Status, classOf(v.Outcome)
	if answer.Reason != nil {
		step.Reason = *answer.Reason
	}
	switch v.Outcome {
	case engine.Replay:
		delta.Replayed++
	case engine.InFlight:
		delta.InFlight++
	case engine.Mismatch:
		delta.Mismatch++
	}
	if first := c.inFlight[v.Record.Life]; first != nil && v.Record.State == engine.InProgress {
		first.waiting = append(first.waiting, waiting{step.N, r.v1})
		return nil
	}
	return step.attribute(r.v1, success(v.Record.Reply.Status), delta)
}

// success: a reply for which money moved.
func success(status int) bool { return status >= 200 && status < 300 }

// holder is the position whose fresh claim began a life.
func (c *Course) holder(life engine.Fence) (int64, error) {
	if running := c.inFlight[life]; running != nil {
		return running.step.Holder, nil
	}
	return c.past.holder(life)
}
