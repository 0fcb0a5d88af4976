package compare

import (
	"idem/analysis"
	"idem/analysis/replay"
	"idem/analysis/whatif"
	"idem/engine"
)

// Side is one of the two outcomes.
type Side struct {
	Name string
	// Recorded: what the log and the unprotected service's transfers say.
	Recorded bool
	// Policy is what the day is replayed under; it counts for nothing where the
	// side is the recorded one.
	Policy engine.Policy
}

// Recorded is the side of what really happened.
func Recorded() Side { return Side{Name: "recorded", Recorded: true} }

// Under is the side of a policy.
func Under(c whatif.Case) Side { return Side{Name: c.Name, Policy: c.Policy} }

// Cell is what became of a request on one side.
type Cell struct {
	// Class is the outcome under a policy; Running on the recorded side, which has
	// no outcomes.
	Class replay.Class
	// Status is the answer's; 0 where the log shows none. Reason is the engine's.
	Status int
	Reason string
	// Moved is the money that moved, in minor units of Currency; 0 for none.
	Moved    int64
	Currency string
	// Mixed: further money moved for the request in another currency.
	Mixed bool
}

// Difference is how the two sides of a request differ.
type Difference uint8

// Differences, from the least.
const (
	Same   Difference = iota
	Answer            // the client is told something else, the same money moves
	Money             // other money moves
)

// String names the difference.
func (d Difference) String() string {
	return [...]string{"the same", "another answer", "other money"}[d]
}

// Pair is a request on both sides.
type Pair struct {
	N       int64 // position in the day, from 1
	Cells   [2]Cell
	Differs Difference
}

// Sums are what one side comes to.
type Sums struct {
	// Transfers and Moved are all that it moved; Extra is the part beyond the first
	// transfer of a client, endpoint and key.
	Transfers int64
	Moved     analysis.Money
	Extra     whatif.Payments
	// Classes are the requests by outcome; all zero on the recorded side.
	Classes [replay.Refused + 1]int64
	// Succeeded, Failed and Unlogged are the recorded side's requests by the
	// answer that the log shows: below 400, from 400 on, none.
	Succeeded, Failed, Unlogged int64
}

// differ says how two cells of a request differ. An answer that was not logged
// differs from none, and one recorded success is as good as another: a service
// may have its own status for it.
func differ(sides *[2]Side, a, b Cell) Difference {
	if a.Moved != b.Moved || a.Mixed != b.Mixed || (a.Moved != 0 && a.Currency != b.Currency) {
		return Money
	}
	if sides[0].Recorded || sides[1].Recorded {
		known := a.Status != 0 && b.Status != 0
		if known && a.Status != b.Status && (a.Status >= 400 || b.Status >= 400) {
			return Answer
		}
		return Same
	}
	if a.Class != b.Class || a.Status != b.Status || a.Reason != b.Reason {
		return Answer
	}
	return Same
}

// recordedCell is a request as the log and the ledger have it.
func recordedCell(r *replay.Row) (c Cell, err error) {
	c.Status = r.Status()
	var sum analysis.Money
	for i := range r.V1Count() {
		amount, currency := r.V1(i)
		if err := sum.Add(currency, amount); err != nil {
			return c, err
		}
		if i == 0 {
			c.Currency = currency
		}
		c.Mixed = c.Mixed || currency != c.Currency
	}
	c.Moved = sum.Of(c.Currency)
	return c, nil
}

// replayedCell is a request as a policy has it.
func replayedCell(s *replay.Step) Cell {
	return Cell{Class: s.Class, Status: s.Status, Reason: s.Reason, Moved: s.Moved, Currency: s.Currency}
}
