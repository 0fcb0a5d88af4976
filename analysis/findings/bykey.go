package findings

import (
	"cmp"
	"slices"
)

// byKey finds what moved money more than once under one key, or in one request.
func (f *finder) byKey() {
	sends := f.sortByKey(repeated(len(f.requests), func(i int) uint64 { return f.requests[i].key }, func(i int) bool { return f.requests[i].moved > 1 }))
	of := f.transfersOf(sends)
	at := int32(0)
	var c keyCluster // whose room is used again
	runs(sends, f.sameScope, func(run []int32) {
		from := at
		at += int32(len(run))
		if list := of.between(from, at); len(list) > 1 {
			c.sends, c.transfers = run, list
			f.judgeKey(&c)
		}
	})
	f.sends = sends
}

// sortByKey sorts requests by key, scope and time. What is compared lies side by
// side: the requests themselves are far apart in memory.
func (f *finder) sortByKey(sends []int32) []int32 {
	type scoped struct {
		key              uint64
		client, endpoint uint32
		at               int64
		n                int32
	}
	list := make([]scoped, len(sends))
	for i, n := range sends {
		r := &f.requests[n]
		list[i] = scoped{r.key, r.client, r.endpoint, r.at, n}
	}
	slices.SortFunc(list, func(a, b scoped) int {
		switch {
		case a.key != b.key:
			return cmp.Compare(a.key, b.key)
		case a.client != b.client:
			return cmp.Compare(a.client, b.client)
		case a.endpoint != b.endpoint:
			return cmp.Compare(a.endpoint, b.endpoint)
		case a.at != b.at:
			return cmp.Compare(a.at, b.at)
		}
		return f.sentBefore(a.n, b.n)
	})
	for i := range list {
		sends[i] = list[i].n
	}
	return sends
}

// sameScope: a request without a key is alone in its scope.
func (d *facts) sameScope(a, b int32) bool {
	x, y := &d.requests[a], &d.requests[b]
	return x.key != 0 && x.key == y.key && x.client == y.client && x.endpoint == y.endpoint
}

// grouped is transfers by the place of their request in a list.
type grouped struct {
	list   []int32
	starts []int32
}

func (g *grouped) between(from, to int32) []int32 { return g.list[g.starts[from]:g.starts[to]] }

// transfersOf groups the transfers of some requests.
func (d *facts) transfersOf(sends []int32) grouped {
	place := make([]int32, len(d.requests))
	for i, s := range sends {
		place[s] = int32(i) + 1
	}
	g := grouped{starts: make([]int32, len(sends)+1)}
	for i := range d.transfers {
		if p := place[d.transfers[i].request]; p > 0 {
			g.starts[p]++
		}
	}
	for i := range sends {
		g.starts[i+1] += g.starts[i]
	}
	g.list = make([]int32, g.starts[len(sends)])
	free := slices.Clone(g.starts)
	for i := range d.transfers {
		if p := place[d.transfers[i].request]; p > 0 {
			g.list[free[p-1]] = int32(i)
			free[p-1]++
		}
	}
	return g
}

// judgeKey explains the transfers of one key.
func (f *finder) judgeKey(c *keyCluster) {
	slices.SortFunc(c.transfers, f.before)
	one := proxyRetry(f.facts, c)
	if one && f.parts(c.transfers) {
		return
	}
	d := &draft{confidence: Certain, kept: c.transfers[0], sends: slices.Clone(c.sends)}
	if f.requests[c.sends[0]].is(weakKey) {
		d.confidence = Probable
	}
	if one {
		d.confidence = min(d.confidence, f.proxyConfidence(&f.transfers[c.transfers[0]]))
	}
	f.partition(d, c.transfers, one)
	if len(d.extra)+len(d.disputed) == 0 {
		return
	}
	c.links = slices.Grow(c.links[:0], len(c.transfers)-1)
	for i := 1; i < len(c.transfers); i++ {
		c.links = append(c.links, f.link(&f.transfers[c.transfers[i-1]], &f.transfers[c.transfers[i]]))
	}
	f.explain(d, c)
	f.claim(d)
}

// partition tells the transfers of a key apart that are not the same payment.
// What the first request moved is kept once; what only a later one moved is in
// dispute with it, unless all are of one request, which may pay several.
func (f *finder) partition(d *draft, transfers []int32, one bool) {
	var others []int32
	firsts := f.firstOf(len(transfers))
	for _, t := range transfers {
		first, known := firsts(t)
		if known {
			d.extra = append(d.extra, pair{t, first})
		} else if f.transfers[t].request != f.transfers[transfers[0]].request && !one {
			others = append(others, t)
		}
	}
	if len(others) > 0 {
		d.disputed = append([]int32{transfers[0]}, others...)
		d.kept = -1
	}
}

// fewTransfers of a key are compared with each other one by one.
const fewTransfers = 8

// firstOf gives a function that finds the first transfer that was the same
// payment, or remembers this one as the first.
func (f *finder) firstOf(n int) func(t int32) (int32, bool) {
	var few []int32
	many := map[uint64][]int32(nil) // by payment, one for each order
	if n > fewTransfers {
		many = map[uint64][]int32{}
	}
	return func(t int32) (int32, bool) {
		list := few
		if many != nil {
			list = many[f.transfers[t].payment]
		}
		if i := slices.IndexFunc(list, func(first int32) bool { return f.samePayment(first, t) }); i >= 0 {
			return list[i], true
		}
		if list = append(list, t); many != nil {
			many[f.transfers[t].payment] = list
		} else {
			few = list
		}
		return t, false
	}
}

// samePayment: the same money between the same parties, not for another order.
func (d *facts) samePayment(a, b int32) bool {
	x, y := &d.transfers[a], &d.transfers[b]
	p, q := d.requests[x.request].ref, d.requests[y.request].ref
	return x.payment == y.payment && (p == q || p == 0 || q == 0)
}

// explain finds the class of a key's duplicates, and those that it beats.
func (f *finder) explain(d *draft, c *keyCluster) {
	if len(d.disputed) > 0 {
		d.class = SameKeyDifferentBody
		a, b := &f.transfers[d.disputed[0]], &f.transfers[d.disputed[1]]
		if factor := powerOfTen(a.amount, b.amount); factor > 1 && a.parties == b.parties {
			d.class, d.cause.Factor = AmountOffByUnit, factor
			d.beat.add(SameKeyDifferentBody)
		}
		return
	}
	for _, rule := range keyRules {
		if !rule.match(f.facts, c) {
			continue
		}
		if d.class == "" {
			d.class = rule.class
		} else {
			d.beat.add(rule.class)
		}
	}
}
