package classroom

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
)

// Invariant is something that must always hold of an engine.
type Invariant = replay.Invariant

// The invariants. They are judged by what a course shows from outside (who sent
// what when, what was answered, which money moved), never by a store's records.
const (
	OneTransfer            = replay.OneTransfer
	Backed                 = replay.Backed
	StaleToken             = replay.StaleToken
	SameAnswer   Invariant = "a replay is the first answer, byte for byte"
	OwnResult    Invariant = "a stored result is given to nobody but the same request"
	EqualBody    Invariant = "an equal body is never refused as another"
	InFlightOnly Invariant = "409 is answered only while the same request runs"
	Conserved              = replay.Conserved
	OneClass               = replay.OneClass
)

// Violation is one breach of an invariant.
type Violation struct {
	Invariant Invariant
	N, Seq    int64 // the request; 0 for the day as a whole
	Twin      bool  // its twin in a race
	Why       string
	// Amount is the money that it is about: paid again, or said to be paid and
	// not. 0 for none.
	Amount   int64
	Currency string
}

// Audit holds the invariants against a course: its Watch goes into the course's
// options. It has its own memory of the day and shares nothing with the store.
type Audit struct {
	policy  engine.Policy // of the right engine
	lives   map[engine.ScopedKey]*life
	running map[sender]*run
	moved   map[string]int64 // net change of each account
	// Violations are what was found so far, in the order of the day.
	Violations []Violation
	// PaidAgain is money that left a second time, Unpaid money that a client was
	// told is paid and is not.
	PaidAgain, Unpaid analysis.Money
	err               error
}

// sender tells a request from its twin.
type sender struct {
	n    int64
	twin bool
}

// life is a key's, from a fresh claim to its expiry.
type life struct {
	body      engine.Fingerprint
	began     time.Time
	fence     engine.Fence // of its latest claim
	ended     bool         // by a result that stays
	answer    engine.Answer
	transfers int
}

// run is a request that runs.
type run struct {
	life *life
	key  engine.ScopedKey
}

// NewAudit audits a course by the rules of a policy.
func NewAudit(p engine.Policy) *Audit {
	return &Audit{policy: p, lives: map[engine.ScopedKey]*life{}, running: map[sender]*run{}, moved: map[string]int64{}}
}

// Watch is told of everything that happens in the course.
func (a *Audit) Watch(e *replay.Event) {
	switch {
	case e.Row == nil:
		a.ended(e)
	case e.Verdict != nil:
		a.decided(e)
	}
}

// decided judges the answer to a claim.
func (a *Audit) decided(e *replay.Event) {
	key := e.Row.ScopedKey(a.policy)
	body, _ := e.Row.Fingerprint(a.policy.Fingerprint)
	l := a.lives[key]
	if l != nil && a.policy.Expired(&engine.Record{ClaimedAt: l.began}, e.At) {
		l = nil
	}
	switch e.Verdict.Outcome {
	case engine.Fresh:
		a.began(e, key, body, l)
	case engine.Replay:
		a.replayed(e, body, l)
	case engine.InFlight:
		if l == nil || l.ended || (l.body != body && a.policy.OnMismatch != engine.MismatchReplays) {
			a.breach(e, InFlightOnly, "nothing like it runs")
		}
	case engine.Mismatch:
		if l == nil || l.body == body {
			a.breach(e, EqualBody, "no other body was sent under its key")
		}
	}
}

// began notes a run. Whether it should have begun shows when it moves money.
func (a *Audit) began(e *replay.Event, key engine.ScopedKey, body engine.Fingerprint, l *life) {
	if l == nil {
		l = &life{body: body, began: e.At}
		a.lives[key] = l
	}
	l.fence = e.Verdict.Record.Fence
	a.running[sender{e.N, e.Twin}] = &run{l, key}
}

// replayed judges a stored result.
func (a *Audit) replayed(e *replay.Event, body engine.Fingerprint, l *life) {
	if l == nil || (l.body != body && a.policy.OnMismatch != engine.MismatchReplays) {
		a.unpaid(e, OwnResult, "it was answered with another request's result")
		return
	}
	switch {
	case success(e.Answer.Status) && l.transfers == 0:
		a.unpaid(e, Backed, "it was told of a success, and no money has moved")
		return
	case success(e.Answer.Status) && l.transfers > 1:
		a.breach(e, Backed, fmt.Sprintf("it was told of one success, of %d transfers", l.transfers))
		return
	}
	if !l.ended || !sameAnswer(l.answer, e.Answer) {
		a.breach(e, SameAnswer, fmt.Sprintf("it was told %s, the first answer was %s", textOf(e.Answer), textOf(l.answer)))
	}
}

// ended judges the end of a run.
func (a *Audit) ended(e *replay.Event) {
	r := a.running[sender{e.N, e.Twin}]
	if r == nil {
		a.breach(e, OneClass, "it ended twice, or never began")
		return
	}
	delete(a.running, sender{e.N, e.Twin})
	if e.Settlement == 0 || e.Settlement == engine.Lost {
		if e.Moved != nil {
			a.breach(e, StaleToken, "it lost its claim and moved money")
		}
		return
	}
	if e.Completion.Fence != r.life.fence {
		a.breach(e, StaleToken, "it completed a claim that another one had got since")
	}
	if success(e.Answer.Status) != (e.Moved != nil) {
		a.breach(e, Backed, fmt.Sprintf("it ended with %d", e.Answer.Status))
	}
	if e.Moved != nil {
		a.paid(e, r.life)
	}
	if !a.policy.Stores(e.Answer.Status) && a.lives[r.key] == r.life {
		delete(a.lives, r.key) // the key is free again
	}
	if !r.life.ended {
		r.life.ended, r.life.answer = true, e.Answer
	}
}

// paid notes a transfer.
func (a *Audit) paid(e *replay.Event, l *life) {
	o := e.Moved
	a.moved[o.Src.Text] -= o.Amount
	a.moved[o.Dst.Text] += o.Amount
	if l.transfers++; l.transfers > 1 {
		a.note(&a.PaidAgain, o.Currency, o.Amount)
		a.add(e, OneTransfer, fmt.Sprintf("it is transfer %d of its key", l.transfers), o.Amount, o.Currency)
	}
}

// unpaid notes a success that is not the request's own.
func (a *Audit) unpaid(e *replay.Event, i Invariant, why string) {
	o, ok := e.Row.Order()
	if !ok || !success(e.Answer.Status) {
		a.breach(e, i, why)
		return
	}
	a.note(&a.Unpaid, o.Currency, o.Amount)
	a.add(e, i, why, o.Amount, o.Currency)
}

func (a *Audit) note(sum *analysis.Money, currency string, amount int64) {
	if err := sum.Add(currency, amount); err != nil && a.err == nil {
		a.err = err
	}
}

func (a *Audit) breach(e *replay.Event, i Invariant, why string) { a.add(e, i, why, 0, "") }

func (a *Audit) add(e *replay.Event, i Invariant, why string, amount int64, currency string) {
	a.Violations = append(a.Violations, Violation{Invariant: i, N: e.N, Seq: e.Seq, Twin: e.Twin, Why: why, Amount: amount, Currency: currency})
}

// Close judges the day as a whole, once the course is through.
func (a *Audit) Close(ctx context.Context, day replay.Opening, s engine.Store, sums replay.Counters) error {
	if n := sums.Created + sums.Replayed + sums.Rejected() + sums.Refused; n != sums.Requests || sums.Running != 0 || len(a.running) > 0 {
		a.whole(OneClass, fmt.Sprintf("the classes sum to %d of %d requests, %d still run", n, sums.Requests, sums.Running))
	}
	err := s.View(ctx, func(tx engine.Tx) error {
		for _, before := range day.Accounts {
			now, err := tx.Account(ctx, before.ID)
			if err != nil {
				return err
			}
			if now == nil || now.Balance != before.Balance+a.moved[before.ID] || now.Balance < 0 {
				a.whole(Conserved, fmt.Sprintf("account %q began with %d, its transfers come to %d, and it is %+v", before.ID, before.Balance, a.moved[before.ID], now))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("audit the balances: %w", err)
	}
	return a.err
}

func (a *Audit) whole(i Invariant, why string) {
	a.Violations = append(a.Violations, Violation{Invariant: i, Why: why})
}

func success(status int) bool { return status >= 200 && status < 300 }

// sameAnswer compares what two clients read, but for whether it was a replay.
func sameAnswer(a, b engine.Answer) bool {
	return a.Status == b.Status && reasonOf(a) == reasonOf(b) && bytes.Equal(a.Body, b.Body)
}

func reasonOf(a engine.Answer) string {
	if a.Reason == nil {
		return ""
	}
	return *a.Reason
}

func textOf(a engine.Answer) string { return fmt.Sprintf("%d %s%s", a.Status, reasonOf(a), a.Body) }
