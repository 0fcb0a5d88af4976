package replay

import (
	"context"
	"errors"
	"fmt"

	"idem/analysis"
)

// ErrNotThrough: the day has not been replayed to its end.
var ErrNotThrough = errors.New("the day is not through")

// Result is the whole day's. It needs the incident's duplicates, whose totals
// were found by other queries than the replay's, and fails when the two
// disagree or the reconciliation leaves a remainder. From then on nothing
// writes to day.db.
func (p *Player) Result(ctx context.Context, dup *analysis.Duplicates) (Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frontier < p.total {
		return Result{}, fmt.Errorf("%w: request %d of %d", ErrNotThrough, p.frontier, p.total)
	}
	r := Result{Policy: p.policy, Injected: p.course.options, Total: p.total, LongestGap: dup.LongestGap, First: p.first, Last: p.course.clock.now}
	r.Injected.Watch = nil // watching does nothing to a day
	if err := r.Counters.add(&p.course.sums); err != nil {
		return Result{}, err
	}
	if err := errors.Join(r.V1Total.AddAll(dup.UnmatchedTotal), r.Unmatched.AddAll(dup.UnmatchedTotal)); err != nil {
		return Result{}, err
	}
	r.V1Transfers += dup.UnmatchedCount
	if err := r.check(dup); err != nil {
		return Result{}, fmt.Errorf("the replay contradicts the incident: %w", err)
	}
	if err := p.journal.settle(); err != nil {
		return Result{}, analysis.TempError(err)
	}
	return r, analysis.TempError(p.store.Flush(ctx))
}

func (r *Result) check(dup *analysis.Duplicates) error {
	switch {
	case r.Requests != r.Total:
		return fmt.Errorf("%d requests replayed of %d", r.Requests, r.Total)
	case r.Running != 0:
		return fmt.Errorf("%d requests still run", r.Running)
	case r.Created+r.Replayed+r.Rejected()+r.Refused != r.Requests:
		return fmt.Errorf("the classes do not sum to %d requests", r.Requests)
	case r.V1Transfers != dup.Transfers:
		return fmt.Errorf("%d transfers joined to requests or unmatched, %d in the ledger", r.V1Transfers, dup.Transfers)
	}
	if err := sameMoney("v1 total", r.V1Total, dup.V1Total); err != nil {
		return err
	}
	avoided, err := r.Avoided()
	if err != nil {
		return err
	}
	explained, err := r.Reconciliation.Sum()
	if err != nil {
		return err
	}
	return sameMoney("reconciliation", explained, avoided)
}

// Avoided is V1Total - Transferred, by currency.
func (r *Result) Avoided() (analysis.Money, error) { return r.V1Total.Sub(r.Transferred) }

// Term is one term of the reconciliation.
type Term struct {
	Name string // in words
	Sum  analysis.Money
	Sign int // -1 for what is subtracted
}

// TermStopped is the name of the one term that may be called stopped.
const TermStopped = "stopped duplicates"

// The names of the other terms.
const (
	termRefused    = "refused by the replay's ledger"
	termUnusable   = "rows without a key or unusable"
	termUnmatched  = "unmatched transfers"
	termDiffers    = "other amounts than the body says"
	termTakenBack  = "negative amounts under a used key"
	termOnlyReplay = "only the replay moved"
)

// Terms are the terms of the reconciliation, the stopped duplicates first.
func (r *Reconciliation) Terms() []Term {
	return []Term{
		{TermStopped, r.Stopped, 1},
		{termRefused, r.RefusedV1, 1},
		{termUnusable, r.UnusableV1, 1},
		{termUnmatched, r.Unmatched, 1},
		{termDiffers, r.AmountDiffers, 1},
		{termTakenBack, r.TakenBack, 1},
		{termOnlyReplay, r.OnlyReplay, -1},
	}
}

// Sum is what the terms of the reconciliation come to.
func (r *Reconciliation) Sum() (sum analysis.Money, err error) {
	for _, term := range r.Terms() {
		if term.Sign < 0 {
			sum, err = sum.Sub(term.Sum)
		} else {
			err = sum.AddAll(term.Sum)
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// sameMoney compares two sums; a currency that is missing counts as 0.
func sameMoney(what string, a, b analysis.Money) error {
	diff, err := a.Sub(b)
	if err != nil {
		return err
	}
	for _, c := range diff.Currencies() {
		if diff.Of(c) != 0 {
			return fmt.Errorf("%s is %d by one count and %d by the other (%q)", what, a.Of(c), b.Of(c), c)
		}
	}
	return nil
}
