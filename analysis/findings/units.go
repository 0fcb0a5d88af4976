package findings

import (
	"cmp"
	"slices"
)

const (
	// fewestOff is how many transfers must be off before it can be the import's
	// doing.
	fewestOff = 2
	// mostlyOff is the share of a currency's transfers, in percent.
	mostlyOff = 90
)

// units finds amounts that are a power of ten off.
func (f *finder) units() {
	type unit struct {
		currency uint16
		factor   int64
	}
	off := map[unit][]int32{}
	all := f.askedOf()
	for i := range f.transfers {
		t := &f.transfers[i]
		asked := f.requests[t.request].asked
		if asked <= 0 {
			continue
		}
		if factor := powerOfTen(asked, t.amount); factor > 1 && !f.claimed[i] {
			k := unit{t.currency, factor}
			off[k] = append(off[k], int32(i))
		}
	}
	var kinds []unit
	for k := range off {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b unit) int { return f.before(off[a][0], off[b][0]) })
	for _, k := range kinds {
		list := off[k]
		if len(list) >= fewestOff && 100*len(list) >= mostlyOff*all[k.currency] {
			f.importTrap(list, k.factor)
			continue
		}
		for _, t := range list {
			f.claim(&draft{class: AmountOffByUnit, confidence: Probable, kept: -1, disputed: []int32{t},
				sends: []int32{f.transfers[t].request}, cause: Cause{Factor: k.factor}})
		}
	}
	f.unitPairs()
}

func (f *finder) importTrap(list []int32, factor int64) {
	f.quiet[quietUnit].add(1, func() *draft {
		d := &draft{class: ImportUnitTrap, confidence: Probable, kept: -1, alike: list[:min(len(list), mostShown)],
			cause: Cause{Factor: factor, Rows: int64(len(list))}}
		for _, t := range d.alike {
			d.sends = append(d.sends, f.transfers[t].request)
		}
		slices.SortFunc(d.sends, f.sentBefore)
		d.sends = slices.Compact(d.sends)
		return d
	})
}

// unitPairs finds two payments of one order of which one is a hundred or a
// thousand times the other.
func (f *finder) unitPairs() {
	order := func(i int) uint64 {
		t := &f.transfers[i]
		r := &f.requests[t.request]
		if r.ref == 0 || !r.is(digits) || f.claimed[i] || r.moved != 1 {
			return 0
		}
		return (r.ref*31 + t.parties) | 1
	}
	list := repeated(len(f.transfers), order, func(int) bool { return false })
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(order(int(a)), order(int(b))), f.before(a, b))
	})
	runs(list, func(a, b int32) bool { return order(int(a)) == order(int(b)) }, func(run []int32) {
		if len(run) != 2 {
			return
		}
		a, b := &f.transfers[run[0]], &f.transfers[run[1]]
		if factor := powerOfTen(a.amount, b.amount); factor >= 100 && a.parties == b.parties && b.created-a.created <= day && a.request != b.request {
			d := &draft{class: AmountOffByUnit, confidence: Suspected, kept: -1, disputed: slices.Clone(run),
				sends: []int32{a.request, b.request}, cause: Cause{Factor: factor}}
			slices.SortFunc(d.sends, f.sentBefore) // the later one may have been booked first
			f.claim(d)
		}
	})
}
