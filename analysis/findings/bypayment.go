package findings

import (
	"cmp"
	"math"
	"slices"
)

const (
	// lookBack is how many equal payments before one are looked at.
	lookBack = 8
	// usual is how many equal payments two accounts make before such a payment
	// says nothing by itself.
	usual = 8
)

// byPayment finds equal payments that no key ties to each other.
func (f *finder) byPayment() error {
	list := repeated(len(f.transfers), func(i int) uint64 {
		if f.claimed[i] {
			return 0
		}
		return f.transfers[i].payment
	}, func(int) bool { return false })
	slices.SortFunc(list, func(a, b int32) int {
		if c := cmp.Compare(f.transfers[a].payment, f.transfers[b].payment); c != 0 {
			return c
		}
		return f.before(a, b)
	})
	alike := func(a, b int32) bool { return f.transfers[a].payment == f.transfers[b].payment }
	f.findShared(list, alike)
	var lags []lag
	runs(list, alike, func(run []int32) {
		if len(run) > 1 {
			lags = append(lags, f.judgeRun(run)...)
		}
	})
	return f.batches(lags)
}

// mostParties is how many pairs of accounts may pay for one reference before it
// names no order but a kind of payment, such as a month's salaries.
const mostParties = 3

// findShared finds references that name no single order.
func (f *finder) findShared(list []int32, alike func(a, b int32) bool) {
	type seen struct {
		parties [mostParties]uint64
		n       int
	}
	refs := map[uint64]*seen{}
	runs(list, alike, func(run []int32) {
		for _, t := range run {
			if r := &f.requests[f.transfers[t].request]; len(run) > 1 && r.ref != 0 && r.is(digits) {
				refs[r.ref] = &seen{}
			}
		}
	})
	f.shared = map[uint64]bool{}
	if len(refs) == 0 {
		return
	}
	for i := range f.transfers {
		t := &f.transfers[i]
		ref := f.requests[t.request].ref
		s := refs[ref]
		if s == nil || slices.Contains(s.parties[:min(s.n, mostParties)], t.parties) {
			continue
		}
		if s.n == mostParties {
			f.shared[ref] = true
			continue
		}
		s.parties[s.n] = t.parties
		s.n++
	}
}

// tie is what links a transfer to an earlier one.
type tie struct {
	to         int32 // place in the run, -1: none
	rule       int   // in linkRules
	confidence Confidence
	matched    uint // rules that matched, as bits
}

// judgeRun explains the payments of a run, which are equal and in the order of
// time. It gives the lags between those that no rule explains.
func (f *finder) judgeRun(run []int32) []lag {
	ties := make([]tie, len(run))
	orders := make([]uint64, len(run)) // what the chain of each payment is for, as far as one of it says
	var alike []int32
	var lags []lag
	for i := range run {
		ties[i] = f.bestTie(run, orders, i)
		orders[i] = f.requests[f.transfers[run[i]].request].ref
		if to := ties[i].to; to >= 0 && orders[i] == 0 {
			orders[i] = orders[to]
		}
		if ties[i].to >= 0 || i == 0 {
			continue
		}
		a, b := run[i-1], run[i]
		l := f.link(&f.transfers[a], &f.transfers[b])
		if l.any(otherRef|otherClient) || l.a == l.b || l.is(sameKey) && !l.is(otherEndpoint) {
			continue
		}
		if len(run) == 2 && !l.any(otherEndpoint|noTime) {
			lags = append(lags, lag{client: l.a.client, endpoint: l.a.endpoint, lag: int64(l.gap), a: a, b: b, sameRef: l.is(sameRef)})
		}
		if l.gap <= day {
			if len(alike) == 0 || alike[len(alike)-1] != a {
				alike = append(alike, a)
			}
			alike = append(alike, b)
		}
	}
	f.chains(run, ties)
	if len(alike) > 0 {
		f.alikes = append(f.alikes, alike)
	}
	return lags
}

// bestTie is the strongest tie of payment i to one before it; of equal ones
// that to the nearest.
func (f *finder) bestTie(run []int32, orders []uint64, i int) tie {
	best := tie{to: -1}
	b := &f.transfers[run[i]]
	order := f.requests[b.request].ref
	for j := i - 1; j >= max(i-lookBack, 0); j-- {
		a := &f.transfers[run[j]]
		if b.created-a.created > redeliverySpan+hour {
			break
		}
		if a.request == b.request || f.sameScope(a.request, b.request) || order != 0 && orders[j] != 0 && order != orders[j] {
			continue
		}
		l := f.link(a, b)
		l.set(common, len(run) >= usual)
		t := tie{to: int32(j)}
		for n := range linkRules {
			if c := linkRules[n].match(f.facts, &l); c > 0 {
				t.matched |= 1 << n
				if c > t.confidence {
					t.confidence, t.rule = c, n
				}
			}
		}
		if t.confidence > best.confidence {
			best = t
		}
	}
	return best
}

// chains makes a finding of each transfer that starts a chain and of those that
// follow it.
func (f *finder) chains(run []int32, ties []tie) {
	root := make([]int, len(run))
	followers := map[int][]int{}
	var starts []int
	for i := range run {
		root[i] = i
		if ties[i].to < 0 {
			continue
		}
		start := root[ties[i].to]
		root[i] = start
		if followers[start] == nil {
			starts = append(starts, start)
		}
		followers[start] = append(followers[start], i)
	}
	slices.Sort(starts)
	for _, start := range starts {
		f.claim(f.chain(run, ties, start, followers[start]))
	}
}

func (f *finder) chain(run []int32, ties []tie, start int, chain []int) *draft {
	d := &draft{kept: run[start], confidence: Certain, sends: []int32{f.transfers[run[start]].request}}
	votes := make([]int, len(linkRules))
	matched := uint(0)
	for _, i := range chain {
		d.extra = append(d.extra, pair{run[i], run[start]})
		d.sends = append(d.sends, f.transfers[run[i]].request)
		d.confidence = min(d.confidence, ties[i].confidence)
		votes[ties[i].rule]++
		matched |= ties[i].matched
	}
	winner := 0
	for n := range votes {
		if votes[n] > votes[winner] {
			winner = n
		}
	}
	d.class = linkRules[winner].class
	for n := range linkRules {
		if n != winner && matched>>n&1 == 1 {
			d.beat.add(linkRules[n].class)
		}
	}
	slices.SortFunc(d.sends, f.sentBefore)
	d.sends = slices.Compact(d.sends)
	if k := f.requests[d.sends[0]].key; d.class == KeyReusedAcrossEndpoints || d.class == TwoPathsOfOneOrder {
		f.accused[k] = true
	}
	return d
}

// lookAlikes lists equal payments that no finding has in the end.
func (f *finder) lookAlikes() {
	// Until now they stand in the order of their hashes.
	slices.SortFunc(f.alikes, func(a, b []int32) int { return f.before(a[0], b[0]) })
	for _, list := range f.alikes {
		list = slices.DeleteFunc(list, func(t int32) bool { return f.claimed[t] })
		if len(list) < 2 {
			continue
		}
		f.quiet[quietAlike].add(int64(len(list)-1), func() *draft {
			d := &draft{class: NotADuplicate, confidence: Probable, kept: -1, alike: list[:min(len(list), mostShown)]}
			for _, t := range d.alike {
				d.sends = append(d.sends, f.transfers[t].request)
			}
			slices.SortFunc(d.sends, f.sentBefore)
			return d
		})
	}
}

// powerOfTen is the factor between two amounts where it is 10 to 10,000, else 0.
func powerOfTen(a, b int64) int64 {
	if a > b {
		a, b = b, a
	}
	for factor := int64(10); factor <= 10_000 && a > 0; factor *= 10 {
		if a <= math.MaxInt64/factor && a*factor == b {
			return factor
		}
	}
	return 0
}
