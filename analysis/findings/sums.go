package findings

import (
	"cmp"
	"slices"
	"strings"

	"idem/analysis"
)

// Count is a number of transfers and their sum.
type Count struct {
	Transfers int64
	Money     analysis.Money
}

func (c *Count) add(t *Transfer) error {
	c.Transfers++
	return c.Money.Add(t.Currency, t.Amount)
}

// Totals sum up findings: extra transfers by confidence, and disputed ones.
type Totals struct {
	Findings int64 // that accuse transfers
	Certain, Probable, Suspected,
	Disputed Count
}

// Extra is the count for a confidence.
func (t *Totals) Extra(c Confidence) *Count {
	switch c {
	case Certain:
		return &t.Certain
	case Probable:
		return &t.Probable
	}
	return &t.Suspected
}

// Sum is the totals of one client or payee.
type Sum struct {
	Name string
	Totals
}

// sumUp fills the totals.
func (r *Result) sumUp() error {
	clients, payees := ledger{}, ledger{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Accuses() {
			continue
		}
		r.Totals.Findings++
		clients.of(f.ClientID()).Findings++
		for payee := range f.payees() {
			payees.of(payee).Findings++
		}
		for i := range f.Extra {
			t := &f.Extra[i]
			for _, sum := range []*Totals{&r.Totals, clients.of(f.ClientID()), payees.of(t.Dst)} {
				if err := sum.Extra(f.Confidence).add(t); err != nil {
					return err
				}
			}
		}
		for i := range f.Disputed {
			t := &f.Disputed[i]
			for _, sum := range []*Totals{&r.Totals, clients.of(f.ClientID()), payees.of(t.Dst)} {
				if err := sum.Disputed.add(t); err != nil {
					return err
				}
			}
		}
	}
	r.ByClient, r.ByPayee = clients.sorted(), payees.sorted()
	return nil
}

// payees are the accounts that extra or disputed transfers paid.
func (f *Finding) payees() map[string]bool {
	set := map[string]bool{}
	for _, list := range [][]Transfer{f.Extra, f.Disputed} {
		for i := range list {
			set[list[i].Dst] = true
		}
	}
	return set
}

// ledger is totals by name.
type ledger map[string]*Totals

func (l ledger) of(name string) *Totals {
	if l[name] == nil {
		l[name] = &Totals{}
	}
	return l[name]
}

// sorted puts the most extra transfers first, then goes by name.
func (l ledger) sorted() []Sum {
	list := make([]Sum, 0, len(l))
	for name, t := range l {
		list = append(list, Sum{name, *t})
	}
	slices.SortFunc(list, func(a, b Sum) int {
		return cmp.Or(
			cmp.Compare(b.Certain.Transfers, a.Certain.Transfers), cmp.Compare(b.Probable.Transfers, a.Probable.Transfers),
			cmp.Compare(b.Suspected.Transfers, a.Suspected.Transfers), strings.Compare(a.Name, b.Name))
	})
	return list
}
