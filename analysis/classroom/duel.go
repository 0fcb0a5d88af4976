package classroom

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/engine/memstore"
)

// ErrEnd: the day has no further request.
var ErrEnd = errors.New("end of the day")

// Duel replays a day on the right engine and a wrong one, step by step. Both
// keep their records in memory. It belongs to one goroutine.
type Duel struct {
	lesson Lesson
	day    replay.Opening
	rows   *replay.Stream
	sides  [2]*side // right, wrong
	n      int64
	first  int64 // position of the first divergence; 0 for none yet
	closed bool
}

// side is one engine at work.
type side struct {
	store  engine.Store
	course *replay.Course
	audit  *Audit
	events []Event // of the request being sent
	seen   int     // violations told before
}

// Event is one thing that an engine did.
type Event struct {
	N, Seq int64
	Twin   bool
	// Ended: a running request came to its end; else a claim was decided.
	Ended   bool
	Outcome engine.Outcome // of a claim; 0 where no key was looked at
	// Status, Reason and Body are the client's answer; zero while it runs, and
	// where a crash left it without one.
	Status int
	Reason string
	Body   string
	// Moved is the money that moved, in minor units; 0 for none.
	Moved    int64
	Currency string
}

// View is what one engine did with a request and until the next one came.
type View struct {
	Step   replay.Step
	Events []Event
}

// Round is one request on both engines.
type Round struct {
	N, Seq       int64
	Right, Wrong View
	// Diverged: the two did not do the same.
	Diverged bool
	// Violations are what the audit of the wrong engine found in this round.
	Violations []Violation
	// Leak is what has leaked so far.
	Leak Leak
}

// Leak is the money that a wrong engine has cost, by currency.
type Leak struct {
	PaidAgain analysis.Money // left a second time
	Unpaid    analysis.Money // said to be paid, and is not
}

// Begin opens a day for a lesson. The options' watcher and leanness are the
// duel's own. Close the duel before the day.
func Begin(ctx context.Context, day replay.Source, l Lesson, policy engine.Policy, o replay.Options) (*Duel, error) {
	opening, err := replay.Open(ctx, day)
	if err != nil {
		return nil, err
	}
	d := &Duel{lesson: l, day: opening}
	wrongStore, wrongPolicy := l.Engine(memstore.New(), policy)
	if d.sides[0], err = newSide(ctx, opening, memstore.New(), policy, policy, o); err != nil {
		return nil, fmt.Errorf("the right engine: %w", err)
	}
	if d.sides[1], err = newSide(ctx, opening, wrongStore, wrongPolicy, policy, o); err != nil {
		return nil, fmt.Errorf("the wrong engine: %w", err)
	}
	d.rows = replay.Read(ctx, day, policy, wrongPolicy)
	return d, nil
}

// newSide makes a course of one engine, audited by the right one's rules.
func newSide(ctx context.Context, day replay.Opening, s engine.Store, own, right engine.Policy, o replay.Options) (*side, error) {
	x := &side{store: s, audit: NewAudit(right)}
	o.Lean, o.Watch = false, x.watch
	var err error
	x.course, err = replay.NewCourse(ctx, day, s, own, o)
	return x, err
}

func (s *side) watch(e *replay.Event) {
	s.audit.Watch(e)
	out := Event{N: e.N, Seq: e.Seq, Twin: e.Twin, Ended: e.Row == nil,
		Status: e.Answer.Status, Reason: reasonOf(e.Answer), Body: string(e.Answer.Body)}
	if e.Verdict != nil {
		out.Outcome = e.Verdict.Outcome
	}
	if e.Moved != nil {
		out.Moved, out.Currency = e.Moved.Amount, e.Moved.Currency
	}
	s.events = append(s.events, out)
}

// Next is the next request, which is not sent by it; ErrEnd when there is none.
func (d *Duel) Next() (*replay.Row, error) {
	r, ok, err := d.rows.Peek(0)
	if err == nil && !ok {
		err = ErrEnd
	}
	return r, err
}

// Send sends the next request through both engines.
func (d *Duel) Send(ctx context.Context) (*Round, error) {
	r, err := d.Next()
	if err != nil {
		return nil, err
	}
	next, _, err := d.rows.Peek(1)
	if err != nil {
		return nil, err
	}
	out := &Round{N: r.N(), Seq: r.Seq()}
	for i, view := range []*View{&out.Right, &out.Wrong} {
		if *view, err = d.sides[i].send(ctx, r, next); err != nil {
			return nil, fmt.Errorf("request %d: %w", r.N(), err)
		}
	}
	d.rows.Drop()
	d.n = out.N
	out.Diverged = !slices.Equal(out.Right.Events, out.Wrong.Events)
	if out.Diverged && d.first == 0 {
		d.first = out.N
	}
	wrong := d.sides[1]
	out.Violations = slices.Clone(wrong.audit.Violations[wrong.seen:])
	wrong.seen = len(wrong.audit.Violations)
	out.Leak = Leak{wrong.audit.PaidAgain, wrong.audit.Unpaid}
	return out, nil
}

func (s *side) send(ctx context.Context, r, next *replay.Row) (View, error) {
	s.events = nil
	sent, err := s.course.Send(ctx, r, next)
	if err != nil {
		return View{}, err
	}
	return View{Step: sent.Step, Events: s.events}, nil
}

// Verdict is how the day ended on both engines.
type Verdict struct {
	Lesson       Lesson
	Right, Wrong replay.Counters
	// First is the position of the request at which the two first did something
	// else; 0 where they never did.
	First int64
	// Sound are violations of the right engine: there must be none.
	Sound []Violation
	// Caught are those of the wrong one.
	Caught []Violation
	Leak   Leak
}

// Run sends what is left of the day and judges both engines. progress, which may
// be nil, is told how far it is.
func (d *Duel) Run(ctx context.Context, progress func(done, total int64)) (*Verdict, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, err := d.Send(ctx)
		if errors.Is(err, ErrEnd) {
			break
		}
		if err != nil {
			return nil, err
		}
		if progress != nil && d.n%64 == 0 {
			progress(d.n, d.day.Total)
		}
	}
	v := &Verdict{Lesson: d.lesson, First: d.first}
	for i, sums := range []*replay.Counters{&v.Right, &v.Wrong} {
		s := d.sides[i]
		var err error
		if *sums, err = s.course.Sums(); err != nil {
			return nil, err
		}
		if d.closed {
			continue
		}
		if err := s.audit.Close(ctx, d.day, s.store, *sums); err != nil {
			return nil, err
		}
	}
	d.closed = true
	v.Sound, v.Caught = d.sides[0].audit.Violations, d.sides[1].audit.Violations
	v.Leak = Leak{d.sides[1].audit.PaidAgain, d.sides[1].audit.Unpaid}
	return v, nil
}

// Total is the number of requests of the day.
func (d *Duel) Total() int64 { return d.day.Total }

// Sent is how many of them were sent.
func (d *Duel) Sent() int64 { return d.n }

// First is the position of the first divergence; 0 for none so far.
func (d *Duel) First() int64 { return d.first }

// Close ends the reading of the day.
func (d *Duel) Close() { d.rows.Close() }
