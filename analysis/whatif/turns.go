package whatif

import (
	"math"
	"slices"
	"sort"
	"time"
)

// turns are the spans of a day at which a knob's curve can turn. A key that was
// sent n times has n*n of them, so they are not kept but looked up.
type turns struct {
	place map[digest]int
	keys  []sends // in the order of the log
}

// sends is what one key knows: when its lives or claims begin, and at which
// moments it matters whether they are over, both since the day's start. What
// lasts as long as from a beginning to a moment is over then; what lasts a
// nanosecond more is not.
type sends struct {
	begins, moments []time.Duration
	below           time.Duration // a span that is not shorter does not count
}

// add takes a request that arrived and ran for some time. A retention matters
// when the key is sent again and when a run of it completes; a lease when the
// key is sent again while a run goes on.
func (t *turns) add(key digest, knob Knob, at, ran time.Duration) {
	i, known := t.place[key]
	if !known {
		i = len(t.keys)
		t.place[key] = i
		t.keys = append(t.keys, sends{})
	}
	s := &t.keys[i]
	s.moments = append(s.moments, at)
	switch {
	case knob == Retention:
		s.begins = append(s.begins, at)
		if ran > 0 {
			s.moments = append(s.moments, at+ran)
		}
		s.below = math.MaxInt64
	case ran > 0:
		s.begins = append(s.begins, at)
		s.below = max(s.below, ran)
	}
}

// sort makes the turns ready to be looked up.
func (t *turns) sort() {
	for i := range t.keys {
		slices.Sort(t.keys[i].begins)
		slices.Sort(t.keys[i].moments)
	}
}

// mostSpans is how many spans are looked at where there are more.
const mostSpans = 1 << 16

// between are the spans from low to below high, sorted. Of very many it gives
// some, evenly over the day, and never none.
func (t *turns) between(low, high time.Duration) []time.Duration {
	low = max(low, 1)
	total := 0
	t.each(low, high, func(_ time.Duration, begins []time.Duration) { total += len(begins) })
	stride := total/mostSpans + 1
	found := make(map[time.Duration]struct{})
	next := 0 // how many spans are to be passed over
	t.each(low, high, func(moment time.Duration, begins []time.Duration) {
		for ; next < len(begins); next += stride {
			found[moment-begins[next]] = struct{}{}
		}
		next -= len(begins)
	})
	list := make([]time.Duration, 0, len(found))
	for span := range found {
		list = append(list, span)
	}
	slices.Sort(list)
	return list
}

// each visits the moments, each with the beginnings from which it is a span from
// low to below high.
func (t *turns) each(low, high time.Duration, visit func(moment time.Duration, begins []time.Duration)) {
	for _, s := range t.keys {
		most := min(high, s.below)
		for _, m := range s.moments {
			// A beginning b counts where low <= m-b < most.
			from := sort.Search(len(s.begins), func(i int) bool { return m-s.begins[i] < most })
			to := sort.Search(len(s.begins), func(i int) bool { return m-s.begins[i] < low })
			if from < to {
				visit(m, s.begins[from:to])
			}
		}
	}
}
