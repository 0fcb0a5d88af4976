package findings

import "cmp"

// draft is a finding in numbers: places in facts.requests and facts.transfers.
type draft struct {
	class      Class
	confidence Confidence
	beat       classSet
	kept       int32 // -1: none
	extra      []pair
	alsoKept   []int32
	disputed   []int32
	alike      []int32
	sends      []int32
	cause      Cause
}

// pair is an extra transfer and the one that it repeats.
type pair struct{ extra, of int32 }

// finder is one search.
type finder struct {
	*facts
	claimed []bool          // transfers that a finding has: extra or disputed
	accused map[uint64]bool // keys whose reuse moved money twice
	sends   []int32         // requests by key, as byKey sorts them
	alikes  [][]int32       // equal payments that nothing explains
	drafts  []*draft
	quiet   [quietKinds]quietList
}

// quietList is findings of a class that accuses nobody: some are listed, all are
// counted. Of honest repeats a day may be full.
type quietList struct {
	drafts []*draft
	count  int64
}

const (
	quietAlike = iota
	quietReused
	quietCollision
	quietError
	quietUnit
	quietKinds
)

// mostQuiet is how many findings of one class that accuses nobody are listed,
// and mostShown how many rows each of them shows.
const (
	mostQuiet = 1000
	mostShown = 50
)

func (q *quietList) add(n int64, d func() *draft) {
	q.count += n
	if len(q.drafts) < mostQuiet {
		q.drafts = append(q.drafts, d())
	}
}

// claim takes a draft that accuses transfers.
func (f *finder) claim(d *draft) {
	for _, p := range d.extra {
		f.claimed[p.extra] = true
		d.confidence = min(d.confidence, f.transfers[p.extra].cap, f.transfers[p.of].cap)
	}
	for _, t := range d.disputed {
		f.claimed[t] = true
		d.confidence = min(d.confidence, f.transfers[t].cap)
	}
	d.keepOrigins()
	f.drafts = append(f.drafts, d)
}

// keepOrigins notes what extra transfers repeat besides the kept one.
func (d *draft) keepOrigins() {
	var known map[int32]bool
	for _, p := range d.extra {
		if p.of == d.kept || known[p.of] {
			continue
		}
		if known == nil {
			known = map[int32]bool{}
			for _, t := range d.disputed {
				known[t] = true
			}
		}
		if !known[p.of] {
			known[p.of] = true
			d.alsoKept = append(d.alsoKept, p.of)
		}
	}
}

// before is the order in which transfers happened. Their times tell it nearly
// always, and what lies elsewhere in memory is looked at only where they do not.
func (d *facts) before(a, b int32) int {
	x, y := &d.transfers[a], &d.transfers[b]
	if c := cmp.Compare(x.created, y.created); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(d.requests[x.request].seq, d.requests[y.request].seq),
		cmp.Compare(x.id, y.id), cmp.Compare(x.place, y.place))
}

// sentBefore is the order in which requests came.
func (d *facts) sentBefore(a, b int32) int {
	x, y := &d.requests[a], &d.requests[b]
	return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.seq, y.seq), cmp.Compare(x.place, y.place))
}

// repeated gives the positions below n whose hash occurs twice or more; a few
// others slip in, which a comparison throws out. 0 is no hash. Two bits a slot
// find them, where a table of all hashes would not fit the processor's cache.
func repeated(n int, hash func(i int) uint64, also func(i int) bool) []int32 {
	size := uint64(1 << 12)
	for size < 16*uint64(n) {
		size *= 2
	}
	once, twice := make([]uint64, size/64), make([]uint64, size/64)
	for i := range n {
		if h := hash(i); h != 0 {
			slot, bit := slotOf(h, size), bitOf(h)
			twice[slot] |= once[slot] & bit
			once[slot] |= bit
		}
	}
	var list []int32
	for i := range n {
		h := hash(i)
		if h != 0 && twice[slotOf(h, size)]&bitOf(h) != 0 || also(i) {
			list = append(list, int32(i))
		}
	}
	return list
}

// slotOf and bitOf place a hash. Its lowest bit is always set.
func slotOf(h, size uint64) uint64 { return (h >> 1 & (size - 1)) / 64 }
func bitOf(h uint64) uint64        { return 1 << (h >> 1 % 64) }

// runs calls do for each stretch of a sorted list whose members are alike.
func runs(list []int32, alike func(a, b int32) bool, do func(run []int32)) {
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && alike(list[i], list[j]) {
			j++
		}
		do(list[i:j])
		i = j
	}
}
