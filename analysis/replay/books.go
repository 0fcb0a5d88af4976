package replay

import (
	"slices"

	"idem/analysis"
)

// maxBooks bounds the accounts whose balances are followed step by step; a day
// with more shows none of them.
const maxBooks = 200_000

// books are both ledgers' balances at the frontier, for the screens: the
// engine's, which day.db has too, and the unprotected service's, which no file has.
type books struct {
	accounts map[string]*pair
	dropped  bool
}

type pair struct{ engine, v1 int64 }

func (b *books) open(id string, balance int64) {
	if b.dropped = b.dropped || len(b.accounts) >= maxBooks; b.dropped {
		b.accounts = nil
		return
	}
	if b.accounts == nil {
		b.accounts = map[string]*pair{}
	}
	b.accounts[id] = &pair{balance, balance}
}

// move books a transfer of the engine's. The engine has checked it.
func (b *books) move(src, dst string, amount int64) {
	if a := b.accounts[src]; a != nil {
		a.engine -= amount
	}
	if a := b.accounts[dst]; a != nil {
		a.engine += amount
	}
}

// moveV1 books what the unprotected service moved. It checked nothing, so an
// account may go below zero, and one that nobody opened has no balance.
func (b *books) moveV1(t *v1Move) {
	if a := b.accounts[t.src]; a != nil {
		a.v1 -= t.amount
	}
	if a := b.accounts[t.dst]; a != nil {
		a.v1 += t.amount
	}
}

// note writes the balances of the row's accounts into its step.
func (b *books) note(s *Step, src, dst string) {
	s.Src, s.Dst = b.of(src), b.of(dst)
}

func (b *books) of(id string) Balances {
	a := b.accounts[id]
	if a == nil {
		return Balances{Account: id}
	}
	return Balances{Account: id, Known: true, Engine: a.engine, V1: a.v1}
}

// addMoves adds v1 transfers to a sum.
func addMoves(m *analysis.Money, moves []v1Move) error {
	for _, t := range moves {
		if err := m.Add(t.currency, t.amount); err != nil {
			return err
		}
	}
	return nil
}

// countV1 notes on the step what v1 moved for its request.
func (s *Step) countV1(moves []v1Move) error {
	s.V1Count = int64(len(moves))
	if len(moves) == 0 {
		return nil
	}
	s.V1Currency = moves[0].currency
	var sum analysis.Money
	if err := addMoves(&sum, moves); err != nil {
		return err
	}
	s.V1Moved = sum.Of(s.V1Currency)
	return nil
}

// attribute books what v1 moved for a request that the engine did not execute.
// Where the key's request did move money (moved), it is a duplicate that was
// stopped; otherwise nothing was stopped, v1's transfer was only refused.
func (s *Step) attribute(moves []v1Move, moved bool, delta *Counters) error {
	if !moved {
		return addMoves(&delta.RefusedV1, moves)
	}
	return s.stop(moves, delta)
}

// stop books duplicates. A negative amount is no payment that anybody stopped,
// so it has a term of its own and never makes the stopped money less.
func (s *Step) stop(moves []v1Move, delta *Counters) error {
	if len(moves) == 0 {
		return nil
	}
	s.extra = true
	var sum analysis.Money
	for _, t := range moves {
		into := &sum
		if t.amount < 0 {
			into = &delta.TakenBack
		}
		if err := into.Add(t.currency, t.amount); err != nil {
			return err
		}
	}
	s.Stopped += sum.Of(moves[0].currency)
	return delta.Stopped.AddAll(sum)
}

// pair books what v1 moved for a request that the engine executed: one of v1's
// transfers is the engine's, that of equal amount if there is one; the others
// are duplicates.
func (s *Step) pair(moves []v1Move, made v1Move, delta *Counters) error {
	if len(moves) == 0 {
		return delta.OnlyReplay.Add(made.currency, made.amount)
	}
	same := slices.IndexFunc(moves, func(t v1Move) bool { return t.amount == made.amount && t.currency == made.currency })
	if same < 0 {
		same = 0
		if err := delta.AmountDiffers.Add(moves[0].currency, moves[0].amount); err != nil {
			return err
		}
		if err := delta.AmountDiffers.Add(made.currency, -made.amount); err != nil {
			return err
		}
	}
	if len(moves) == 1 {
		return nil
	}
	return s.stop(slices.Delete(slices.Clone(moves), same, same+1), delta)
}
