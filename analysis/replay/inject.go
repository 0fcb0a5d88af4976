package replay

import (
	"fmt"
	"slices"
	"time"

	"idem/engine"
)

// Options are what is done to a day that the log does not say. The zero Options
// replay it as it was.
type Options struct {
	// CrashAt are seqs whose worker dies after its claim was committed and before
	// it completes: the claim is never completed, its lease lapses, and a later
	// retry takes it over. Where the request gets no claim, nothing happens.
	CrashAt []int64
	// StallAt are seqs whose worker stands still past its lease and goes on right
	// after the one that took its claim over has completed: what a fence is for.
	// Where nobody takes over it never goes on, as after a crash.
	StallAt []int64
	// RaceAt are seqs that a twin, the same request again, is sent with at the
	// same instant. The twin is no row of the log and belongs to no class.
	RaceAt []int64
	// NoRenewal: workers do not renew their leases, so that a lease shorter than
	// a run lets a retry take it over while it still runs.
	NoRenewal bool
	// Watch, which may be nil, is told of everything as it happens. What the
	// event points to is the course's, and must not be changed.
	Watch func(*Event)
	// Lean: a course without a journal leaves out what only screens show, namely
	// the holder of a life that is through, balances, and bodies of replies. Memory
	// then does not grow with the day.
	Lean bool
}

// Injects reports whether something is done to the day, which then is a drill.
func (o *Options) Injects() bool {
	return len(o.CrashAt)+len(o.StallAt)+len(o.RaceAt) > 0 || o.NoRenewal
}

// Event is one thing that happened in a course: a claim was decided, or a
// running request ended.
type Event struct {
	N, Seq int64
	Twin   bool      // of the twin that a race sends
	At     time.Time // in the day's own time
	// Row is the request whose claim was decided; nil for an end.
	Row *Row
	// Verdict is the decision; nil for an end and for a row without a key.
	Verdict *engine.Verdict
	// Settlement is how the request ended; 0 for a claim, and for a worker that
	// never came back.
	Settlement engine.Settlement
	Completion engine.Completion // of an end
	// Answer is what the client is told; zero while the request runs.
	Answer engine.Answer
	// Moved is the order that was executed; nil where no money moved.
	Moved *engine.Order
}

// tell tells the watcher. The event is passed by value: where nobody watches, it
// is never allocated.
func (c *Course) tell(e Event) {
	if c.options.Watch != nil {
		c.watched = e
		c.options.Watch(&c.watched)
	}
}

// renews reports whether the worker of a row keeps its lease while it runs.
func (o *Options) renews(seq int64) bool {
	return !o.NoRenewal && !slices.Contains(o.CrashAt, seq) && !slices.Contains(o.StallAt, seq)
}

// follow makes mine the heir of the claim that it took over.
func (c *Course) follow(mine, before *running) {
	if before == nil {
		return
	}
	before.heir = mine
	if before.ended {
		before.bequeath()
	}
}

// bequeath hands what a run that moved nothing has to attribute to the one that
// took its claim over: whether money moved is that one's to say.
func (r *running) bequeath() {
	r.heir.waiting = append(r.heir.waiting, waiting{r.n, r.v1})
	r.heir.waiting = append(r.heir.waiting, r.waiting...)
	r.waiting, r.attributed = nil, true
}

// last is the end of the line of those who took a run's claim over.
func (r *running) last() *running {
	for r.heir != nil && r.ended && !r.moved {
		r = r.heir
	}
	return r
}

// crash ends a request whose worker died: its client got no answer and its claim
// stands. What v1 moved for it is attributed when somebody takes over, or at the
// end of the day.
func (c *Course) crash(dead *running, delta *Counters) {
	dead.ended = true
	dead.step.Class, dead.step.Reason = Refused, ReasonCrashed
	delta.Refused++
	delta.Crashed++
	delta.Running--
	c.tell(Event{N: dead.n, Seq: dead.seq, At: c.clock.now})
}

// closeDay ends what nobody took over.
func (c *Course) closeDay(out *Sent) error {
	for _, r := range c.abandoned {
		if !r.ended {
			c.crash(r, &out.Delta)
			r.step.Done, r.step.DoneAt = out.Step.N, c.clock.now
			if r.n != out.Step.N {
				out.Late = append(out.Late, &r.step)
			}
		}
	}
	for _, r := range c.abandoned {
		if r.attributed {
			continue
		}
		if err := r.attributeUnpaid(out); err != nil {
			return err
		}
	}
	return nil
}

// race sends a row's twin. The right engine never lets it run.
func (c *Course) race(claim engine.Claim, r *Row, verdict *engine.Verdict, out *Sent) {
	out.Step.Twin = classOf(verdict.Outcome)
	if verdict.Outcome != engine.Fresh {
		c.tell(Event{N: r.n, Seq: r.seq, Twin: true, At: claim.Now, Row: r, Verdict: verdict, Answer: verdict.Answer(c.policy)})
		return
	}
	c.tell(Event{N: r.n, Seq: r.seq, Twin: true, At: claim.Now, Row: r, Verdict: verdict})
	twin := &running{due: claim.Now.Add(r.duration), work: r.work, key: claim.Key, twin: true,
		step: Step{N: r.n, Seq: r.seq, Life: verdict.Record.Life, Fence: verdict.Record.Fence}}
	twin.v1 = nil
	c.push(twin)
}

// endTwin books what a twin moved: money that only the replay moved.
func (c *Course) endTwin(twin *running, delta *Counters) error {
	if !twin.moved {
		return nil
	}
	o := &twin.order
	delta.Transfers++
	c.books.move(o.Src.Text, o.Dst.Text, o.Amount)
	if err := delta.Transferred.Add(o.Currency, o.Amount); err != nil {
		return err
	}
	return delta.OnlyReplay.Add(o.Currency, o.Amount)
}

// transferID is the id of the transfer that the run makes.
func (r *running) transferID() string {
	if r.twin {
		return fmt.Sprintf("%s-twin", TransferID(r.seq))
	}
	return TransferID(r.seq)
}

func classOf(o engine.Outcome) Class {
	switch o {
	case engine.Replay:
		return Replayed
	case engine.InFlight:
		return InFlight
	case engine.Mismatch:
		return Mismatch
	}
	return Running
}
