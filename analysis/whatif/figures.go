package whatif

import (
	"context"

	"idem/analysis"
	"idem/analysis/replay"
)

// Figures are what one policy would have done with the day.
type Figures struct {
	// The classes of the requests; they sum to those of the day.
	Created  int64 `json:"created"`
	Replayed int64 `json:"replayed"`
	InFlight int64 `json:"in_flight"` // answered 409, or what the policy says instead
	Mismatch int64 `json:"mismatch"`  // answered 422, or what the policy says instead
	Refused  int64 `json:"refused"`   // by the ledger, or unusable

	// Extra are transfers beyond the first that the policy makes for one client,
	// endpoint and key: duplicates that would still be paid.
	Extra Payments `json:"extra"`
	// ExtraOther is the part of Extra whose body is not that of the key's first
	// request: another order under a used key, or a changed amount. Disputed.
	ExtraOther Payments `json:"extra_other_body"`
	// Stopped are transfers of the unprotected service that the policy does not
	// make, beyond the one that each key should have.
	Stopped Payments `json:"stopped"`
	// Missing are keys that the unprotected service paid and the policy never
	// does, each with its first transfer: refused by the ledger, swallowed by
	// another key's result, or barred by a stored error.
	Missing Payments `json:"missing"`

	// HonestRefused is Collisions + RetriesRefused.
	HonestRefused int64 `json:"honest_refused"`
	// Collisions are requests answered 409, 422 or with a stored result because
	// of a request of another client, endpoint or key: no retry of it.
	Collisions int64 `json:"collisions"`
	// RetriesRefused are requests answered 422 though their body is, in canonical
	// form, that of the request that holds their key.
	RetriesRefused int64 `json:"retries_refused"`
	// OtherBody are requests answered with the result of one under the same key
	// whose body is another.
	OtherBody int64 `json:"other_body_replayed"`

	ExpiredReruns int64 `json:"expired_reruns"` // run again because the key had expired
	Takeovers     int64 `json:"takeovers"`
	LostClaims    int64 `json:"lost_claims"` // runs whose claim was taken over
	// Unfenced are the orders of those runs: what an engine without a fence would
	// have paid on top.
	Unfenced    Payments       `json:"unfenced"`
	Transferred analysis.Money `json:"transferred"`
}

// runner is one policy's course through the day.
type runner struct {
	course  *replay.Course
	store   *store
	figures Figures
	made    []bool        // by number of the key - 1: a transfer was made
	running map[int64]job // by position
	notMade Payments      // transfers of v1 that the policy did not make
	held    job           // the row that waits for the next one's time
	each    func(*replay.Row, *replay.Step) error
}

// job is a row and what it is.
type job struct {
	row *replay.Row
	tag tag
}

func newRunner(ctx context.Context, day replay.Opening, c Case, o replay.Options) (*runner, error) {
	o.Lean = true
	r := &runner{store: newStore(day.Total), running: map[int64]job{}}
	var err error
	r.course, err = replay.NewCourse(ctx, day, r.store, c.Policy, o)
	return r, err
}

// feed sends all rows but the last, which waits for the one after it.
func (r *runner) feed(ctx context.Context, p parcel) error {
	for i := range p.rows {
		next := job{&p.rows[i], p.tags[i]}
		if r.held.row != nil {
			if err := r.send(ctx, next.row); err != nil {
				return err
			}
		}
		r.held = next
	}
	return ctx.Err()
}

// send sends the row that waits.
func (r *runner) send(ctx context.Context, next *replay.Row) error {
	j := r.held
	r.store.sender, r.store.holder = j.tag, tag{}
	sent, err := r.course.Send(ctx, j.row, next)
	if err != nil {
		return err
	}
	if sent.Step.Class == replay.Running {
		r.running[sent.Step.N] = j
	} else if err := r.end(j, &sent.Step); err != nil {
		return err
	}
	for _, late := range sent.Late {
		if err := r.end(r.running[late.N], late); err != nil {
			return err
		}
		delete(r.running, late.N)
	}
	return nil
}

// end counts what became of a row.
func (r *runner) end(j job, s *replay.Step) error {
	if r.each != nil {
		if err := r.each(j.row, s); err != nil {
			return err
		}
	}
	if j.tag.key == 0 {
		return nil
	}
	r.answered(j.tag, s.Class)
	if o, ok := j.row.Order(); ok && s.Reason == replay.ReasonClaimLost {
		if err := r.figures.Unfenced.add(o.Currency, o.Amount); err != nil {
			return err
		}
	}
	paired := -1
	if s.Class == replay.Created {
		if err := r.pay(j.tag, s); err != nil {
			return err
		}
		paired = pairOf(j.row, s)
	}
	for i := range j.row.V1Count() {
		if i == paired {
			continue
		}
		amount, currency := j.row.V1(i)
		if amount < 0 {
			continue // see truth.note
		}
		if err := r.notMade.add(currency, amount); err != nil {
			return err
		}
	}
	return nil
}

// pairOf is the v1 transfer that the engine's stands for: the one of its amount,
// or the first.
func pairOf(r *replay.Row, s *replay.Step) int {
	for i := range r.V1Count() {
		if amount, currency := r.V1(i); amount == s.Moved && currency == s.Currency {
			return i
		}
	}
	return 0
}

// pay counts a transfer, which is an extra one where its key has one.
func (r *runner) pay(t tag, s *replay.Step) error {
	for int(t.key) > len(r.made) {
		r.made = append(r.made, false)
	}
	if !r.made[t.key-1] {
		r.made[t.key-1] = true
		return nil
	}
	if t.other {
		if err := r.figures.ExtraOther.add(s.Currency, s.Moved); err != nil {
			return err
		}
	}
	return r.figures.Extra.add(s.Currency, s.Moved)
}

// answered counts answers that another request's claim decided, and that it
// should not have.
func (r *runner) answered(t tag, class replay.Class) {
	holder, f := r.store.holder, &r.figures
	if class != replay.Replayed && class != replay.InFlight && class != replay.Mismatch {
		return
	}
	switch {
	case holder.key != t.key:
		f.Collisions++
		f.HonestRefused++
	case class == replay.Mismatch && holder.identity == t.identity:
		f.RetriesRefused++
		f.HonestRefused++
	case class == replay.Replayed && holder.identity != t.identity:
		f.OtherBody++
	}
}

// finish sends the last row and sums up.
func (r *runner) finish(ctx context.Context, t *truth) error {
	if r.held.row != nil {
		if err := r.send(ctx, nil); err != nil {
			return err
		}
	}
	for i := range t.states {
		s := &t.states[i]
		if s.paid && (i >= len(r.made) || !r.made[i]) {
			if err := r.figures.Missing.add(s.currency, s.amount); err != nil {
				return err
			}
		}
	}
	return r.sum()
}

func (r *runner) sum() error {
	f := &r.figures
	f.Stopped.Count = r.notMade.Count - f.Missing.Count
	var err error
	if f.Stopped.ByCurrency, err = r.notMade.ByCurrency.Sub(f.Missing.ByCurrency); err != nil {
		return err
	}
	sums, err := r.course.Sums()
	if err != nil {
		return err
	}
	f.Created, f.Replayed, f.Refused = sums.Created, sums.Replayed, sums.Refused
	f.InFlight, f.Mismatch = sums.InFlight, sums.Mismatch
	f.ExpiredReruns, f.Takeovers, f.LostClaims = sums.ExpiredReruns, sums.Takeovers, sums.LostClaims
	f.Transferred = sums.Transferred
	return nil
}
