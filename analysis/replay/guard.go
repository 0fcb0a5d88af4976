package replay

import (
	"fmt"

	"idem/analysis"
	"idem/engine"
)

// Guard watches a course while it runs, for the first invariant that breaks. It
// judges what the course does and never asks its store. What it remembers is
// bounded: a bit for each claim, what runs at the moment, and the balances of up
// to [maxBooks] accounts. That two records of one key are never both valid, it
// sees only while one of them is in progress; for the rest the ledger has a
// UNIQUE constraint, which an audit of day.db holds it to.
type Guard struct {
	paid     lifeSet
	runs     map[runner]run
	lives    map[engine.ScopedKey]engine.Fence // of the claims in progress
	latest   map[engine.Fence]engine.Fence     // token of the latest claim of each of these lives
	balances map[string]int64                  // nil where there are too many accounts
	at       int64
	first    *Breach
}

// runner tells a request from its twin.
type runner struct {
	n    int64
	twin bool
}

// run is a claim that was made and has not ended.
type run struct{ life, fence engine.Fence }

// NewGuard guards a course over the accounts.
func NewGuard(accounts []analysis.Account) *Guard {
	g := &Guard{paid: lifeSet{}, runs: map[runner]run{}, lives: map[engine.ScopedKey]engine.Fence{}, latest: map[engine.Fence]engine.Fence{}}
	if len(accounts) < maxBooks {
		g.balances = make(map[string]int64, len(accounts))
		for _, a := range accounts {
			g.balances[a.ID] = a.Balance
		}
	}
	return g
}

// Breach is the first invariant that broke; ok is false while every one holds.
func (g *Guard) Breach() (b Breach, ok bool) {
	if g.first == nil {
		return b, false
	}
	return *g.first, true
}

// Watch is told of everything that happens in the course, see [Options].
func (g *Guard) Watch(e *Event) {
	switch {
	case e.Row == nil:
		g.ended(e)
	case e.Verdict != nil:
		g.at = e.N
		g.decided(e)
	default:
		g.at = e.N
	}
}

// decided judges the answer to a claim.
func (g *Guard) decided(e *Event) {
	r := &e.Verdict.Record
	switch e.Verdict.Outcome {
	case engine.Fresh:
		if life, runs := g.lives[r.Key]; runs && life != r.Life && !e.Verdict.Expired {
			g.breach(e, OneTransfer, "it was let run while another one had a claim on its key")
		}
		g.runs[runner{e.N, e.Twin}] = run{r.Life, r.Fence}
		g.lives[r.Key], g.latest[r.Life] = r.Life, r.Fence
	case engine.Replay:
		if paid := g.paid.has(r.Life); paid != success(r.Reply.Status) {
			g.breach(e, Backed, fmt.Sprintf("it was answered %d, and money moved is %t", r.Reply.Status, paid))
		}
	}
}

// ended judges the end of a run.
func (g *Guard) ended(e *Event) {
	key := runner{e.N, e.Twin}
	r, runs := g.runs[key]
	if !runs {
		g.breach(e, OneClass, "it ended twice, or never began")
		return
	}
	delete(g.runs, key)
	switch {
	case e.Settlement == 0 || e.Settlement == engine.Lost:
		if e.Moved != nil {
			g.breach(e, StaleToken, "it had lost its claim and moved money")
		}
		return
	case g.latest[r.life] != e.Completion.Fence:
		g.breach(e, StaleToken, "it completed a claim that another one had got since")
	case success(e.Answer.Status) != (e.Moved != nil):
		g.breach(e, Backed, fmt.Sprintf("it ended with %d, and money moved is %t", e.Answer.Status, e.Moved != nil))
	}
	if g.latest[r.life] == e.Completion.Fence {
		delete(g.latest, r.life)
	}
	if g.lives[e.Completion.Key] == r.life {
		delete(g.lives, e.Completion.Key)
	}
	if e.Moved != nil {
		g.pay(e, r.life)
	}
}

// pay judges a transfer.
func (g *Guard) pay(e *Event, life engine.Fence) {
	if !g.paid.add(life) {
		g.breach(e, OneTransfer, "it is the second transfer of its key's life")
	}
	if g.balances == nil {
		return
	}
	o := e.Moved
	g.balances[o.Src.Text] -= o.Amount
	g.balances[o.Dst.Text] += o.Amount
	if left := g.balances[o.Src.Text]; left < 0 {
		g.breach(e, Conserved, fmt.Sprintf("it took account %q below zero: %d", o.Src.Text, left))
	}
}

// Sent judges what sending a row did, with the sums after it.
func (g *Guard) Sent(sent *Sent, sums *Counters) {
	s := &sent.Step
	e := &Event{N: s.N, Seq: s.Seq}
	if n := sums.Created + sums.Replayed + sums.Rejected() + sums.Refused + sums.Running; n != sums.Requests {
		g.breach(e, OneClass, fmt.Sprintf("the classes sum to %d of %d requests", n, sums.Requests))
	}
	if turned := s.Class == Replayed || s.Class == InFlight || s.Class == Mismatch; turned && s.Moved != 0 {
		g.breach(e, LosersWrite, fmt.Sprintf("it is %s and moved %d", s.Class, s.Moved))
	}
	for _, b := range []*Balances{&s.Src, &s.Dst} {
		if want, known := g.balances[b.Account]; b.Known && known && b.Engine != want {
			g.breach(e, Conserved, fmt.Sprintf("account %q has %d, its start and its transfers make that %d", b.Account, b.Engine, want))
		}
	}
}

// breach notes the first one.
func (g *Guard) breach(e *Event, i Invariant, why string) {
	if g.first == nil {
		g.first = &Breach{At: max(g.at, e.N), N: e.N, Seq: e.Seq, Twin: e.Twin, Invariant: i, Why: why}
	}
}

// lifeSet is a set of lives, whose numbers count the claims of a day: a bit each.
type lifeSet struct {
	words []uint64
	far   map[engine.Fence]bool // of engines that number in another way
}

// mostLives bounds the numbers that have a bit.
const mostLives = 1 << 32

func (s *lifeSet) has(life engine.Fence) bool {
	if life < 0 || life >= mostLives {
		return s.far[life]
	}
	i := int(life / 64)
	return i < len(s.words) && s.words[i]&(1<<(life%64)) != 0
}

// add reports whether the life is a new one.
func (s *lifeSet) add(life engine.Fence) bool {
	if s.has(life) {
		return false
	}
	if life < 0 || life >= mostLives {
		if s.far == nil {
			s.far = map[engine.Fence]bool{}
		}
		s.far[life] = true
		return true
	}
	for int(life/64) >= len(s.words) {
		s.words = append(s.words, 0)
	}
	s.words[life/64] |= 1 << (life % 64)
	return true
}
