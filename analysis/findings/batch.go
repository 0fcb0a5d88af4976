package findings

import (
	"cmp"
	"slices"
	"time"
)

// lag is how long after one payment an equal one was made.
type lag struct {
	client, endpoint uint32
	lag              int64
	a, b             int32
	sameRef          bool
}

const (
	fewestRows = 5          // of a batch
	jitter     = 2 * second // by which the lags of one batch differ
	clockwork  = 5 * second // by which a schedule misses the full hour
	briefest   = 1 * minute
)

// batches finds lists of payments that were sent twice as a whole.
func (f *finder) batches(lags []lag) error {
	lags = slices.DeleteFunc(lags, func(l lag) bool {
		off := l.lag % hour
		return l.lag < briefest || off <= clockwork || hour-off <= clockwork || f.claimed[l.a] || f.claimed[l.b]
	})
	slices.SortFunc(lags, func(x, y lag) int {
		return cmp.Or(cmp.Compare(x.client, y.client), cmp.Compare(x.endpoint, y.endpoint), cmp.Compare(x.lag, y.lag), f.before(x.a, y.a))
	})
	var found [][]lag
	for i := 0; i < len(lags); {
		j := i + 1
		for j < len(lags) && lags[j].client == lags[i].client && lags[j].endpoint == lags[i].endpoint && lags[j].lag-lags[i].lag <= jitter {
			j++
		}
		if j-i >= fewestRows {
			found = append(found, lags[i:j])
		}
		i = j
	}
	all, err := f.cover(found)
	for i, covered := range all {
		if covered {
			f.batch(found[i])
		}
	}
	return err
}

// cover tells of which candidates most payments of their time have a twin. In a
// day full of payments some lags agree by chance; then few of those around have.
func (f *finder) cover(found [][]lag) ([]bool, error) {
	type span struct{ client, endpoint uint32 }
	covered := make([]bool, len(found))
	if len(found) == 0 {
		return nil, nil
	}
	first, last, inside := make([]int64, len(found)), make([]int64, len(found)), make([]int64, len(found))
	by := map[span][]int{}
	for i, list := range found {
		first[i], last[i] = f.transfers[list[0].a].created, f.transfers[list[0].a].created
		for _, l := range list {
			first[i], last[i] = min(first[i], f.transfers[l.a].created), max(last[i], f.transfers[l.a].created)
		}
		k := span{list[0].client, list[0].endpoint}
		by[k] = append(by[k], i)
	}
	err := f.eachPaid(func(t *transfer, r *request) {
		for _, n := range by[span{r.client, r.endpoint}] {
			if t.created >= first[n] && t.created <= last[n] {
				inside[n]++
			}
		}
	})
	for i, list := range found {
		// The first run was through before the second began.
		covered[i] = 2*int64(len(list)) >= inside[i] && last[i]-first[i] < list[0].lag
	}
	return covered, err
}

func (f *finder) batch(list []lag) {
	slices.SortFunc(list, func(x, y lag) int { return f.before(x.a, y.a) })
	d := &draft{class: BatchRunAgain, confidence: Probable, kept: list[0].a}
	for _, l := range list {
		d.extra = append(d.extra, pair{l.b, l.a})
		d.sends = append(d.sends, f.transfers[l.a].request, f.transfers[l.b].request)
		if !l.sameRef {
			d.confidence = Suspected
		}
	}
	d.cause.Rows = int64(len(list))
	mid := slices.MinFunc(list, func(x, y lag) int { return cmp.Compare(x.lag, y.lag) })
	d.cause.Lag = time.Duration(mid.lag)
	slices.SortFunc(d.sends, f.sentBefore)
	f.claim(d)
}
