package replay

import (
	"fmt"

	"idem/analysis"
)

// add adds a step's change. Negative changes (a running request that ends) are
// as good as positive ones.
func (c *Counters) add(delta *Counters) error {
	c.Tally.add(&delta.Tally)
	into, from := c.moneys(), delta.moneys()
	for i := range into {
		if err := into[i].AddAll(*from[i]); err != nil {
			return fmt.Errorf("%s: %w", moneyNames[i], err)
		}
	}
	return nil
}

// moneys are the sums of money in a fixed order, that of moneyNames.
func (c *Counters) moneys() [9]*analysis.Money {
	return [...]*analysis.Money{&c.Transferred, &c.V1Total,
		&c.Stopped, &c.RefusedV1, &c.UnusableV1, &c.Unmatched, &c.AmountDiffers, &c.OnlyReplay, &c.TakenBack}
}

var moneyNames = [...]string{"transferred", "v1 total",
	TermStopped, termRefused, termUnusable, termUnmatched, termDiffers, termOnlyReplay, termTakenBack}

func (t *Tally) add(d *Tally) {
	into, from := t.numbers(), d.numbers()
	for i := range into {
		*into[i] += *from[i]
	}
}

// numbers are the tallies in a fixed order.
func (t *Tally) numbers() [18]*int64 {
	return [...]*int64{&t.Requests, &t.Created, &t.Replayed, &t.InFlight, &t.Mismatch, &t.Refused, &t.Running,
		&t.Keyless, &t.Unusable, &t.LoggedErrors, &t.LostClaims, &t.ExpiredReruns, &t.Takeovers,
		&t.ClockBack, &t.UnreadableTimes, &t.Transfers, &t.V1Transfers, &t.Crashed}
}

// plain is the change that a step makes which created what v1 moved once, and in
// which nothing else happened.
func plain(s *Step) (delta Counters, err error) {
	delta.Requests, delta.Created, delta.Transfers, delta.V1Transfers = 1, 1, 1, 1
	if err := delta.Transferred.Add(s.Currency, s.Moved); err != nil {
		return delta, err
	}
	return delta, delta.V1Total.Add(s.V1Currency, s.V1Moved)
}

// isPlain reports whether the change of a step is what [plain] makes of it.
func isPlain(s *Step, delta *Counters) bool {
	if s.Class != Created || s.Done != s.N || s.V1Count != 1 || s.V1Moved != s.Moved || s.V1Currency != s.Currency {
		return false
	}
	return delta.Tally == Tally{Requests: 1, Created: 1, Transfers: 1, V1Transfers: 1}
}
