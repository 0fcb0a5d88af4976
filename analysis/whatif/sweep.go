package whatif

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"idem/analysis/replay"
	"idem/engine"
)

// Knob is a policy's knob that can be swept.
type Knob string

// The knobs that a sweep turns.
const (
	// Retention: how long a key is valid. What a value lets through are extra
	// transfers.
	Retention Knob = "retention"
	// Lease: how long a claim is protected. Workers do not renew it here, and what
	// a value lets through are runs whose claim was taken over while they ran. The
	// fence stops their money, so this is work done twice, not paid twice.
	Lease Knob = "lease"
)

// Curve is how a policy does over the values of one knob.
type Curve struct {
	Knob   Knob
	Base   Case
	Points []Point // by value
	// Smallest is the smallest value from which on every one lets through as
	// little as the largest does: Rest, which is 0 where the knob stops
	// everything.
	Smallest time.Duration
	Rest     int64
	// Gap is the span in the day that Smallest has to exceed; 0 where any value
	// that a policy may have will do.
	Gap        time.Duration
	LongestGap time.Duration // between two sends of one key
}

// Point is one value of the knob.
type Point struct {
	Value time.Duration
	// Gap is the span of the day that the value exceeds by a nanosecond, for a
	// value that stands where the curve can turn; 0 for one of the ladder.
	Gap     time.Duration
	Figures Figures
	Through int64 // what it lets through: extra transfers, or claims lost
}

// ladder are the values that people choose from.
var ladder = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour,
	72 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 90 * 24 * time.Hour, 365 * 24 * time.Hour,
}

const (
	mostTurns = 40 // points of the curve at the day's own gaps
	perRound  = 8  // further points in each round of the search for the smallest
	// mostSent bounds the requests that the curve's points come to, so that a long
	// day has fewer of them.
	mostSent = 4_000_000
)

// turnPoints is how many of the day's gaps the curve of a day shows.
func turnPoints(requests int64) int {
	return max(perRound, min(mostTurns, int(mostSent/max(1, requests))-len(ladder)))
}

// Sweep turns one knob of a policy over the ladder and the day's own gaps: the
// curve is a staircase that can only turn just above one of them.
func Sweep(ctx context.Context, day replay.Source, base Case, knob Knob, o Options) (*Curve, error) {
	if knob != Retention && knob != Lease {
		return nil, fmt.Errorf("%w: a sweep is over %s or %s, not %q", engine.ErrPolicy, Retention, Lease, knob)
	}
	s := &sweep{day: day, options: o, curve: &Curve{Knob: knob, Base: base}, known: map[time.Duration]Point{}}
	s.options.Replay.NoRenewal = s.options.Replay.NoRenewal || knob == Lease
	if err := s.read(ctx); err != nil {
		return nil, err
	}
	low, high := s.bounds()
	turns := s.turns.between(low, high)
	values := []time.Duration{low}
	top := max(2*low, 24*time.Hour)
	if len(turns) > 0 {
		top = max(top, 2*turns[len(turns)-1])
	}
	for _, v := range ladder {
		if v > low && v <= min(top, high) {
			values = append(values, v)
		}
	}
	if err := s.evaluate(ctx, values, spread(turns, turnPoints(s.requests))); err != nil {
		return nil, err
	}
	return s.curve, s.search(ctx)
}

type sweep struct {
	day      replay.Source
	options  Options
	curve    *Curve
	requests int64
	turns    turns
	known    map[time.Duration]Point
}

// bounds are the smallest and the largest value that the base policy may have.
func (s *sweep) bounds() (low, high time.Duration) {
	p := s.curve.Base.Policy
	if s.curve.Knob == Retention {
		return p.Lease + 1, engine.MaxRetention
	}
	return time.Millisecond, min(engine.MaxLease, p.Retention-1)
}

// evaluate runs the values that are not known yet: those given, and those just
// above the gaps.
func (s *sweep) evaluate(ctx context.Context, values, gaps []time.Duration) error {
	above := make(map[time.Duration]time.Duration, len(gaps))
	for _, g := range gaps {
		above[g+1] = g
		values = append(values, g+1)
	}
	var cases []Case
	var fresh []time.Duration
	for _, v := range values {
		if _, known := s.known[v]; known || slices.Contains(fresh, v) {
			continue
		}
		c := s.curve.Base
		if s.curve.Knob == Retention {
			c.Policy.Retention = v
		} else {
			c.Policy.Lease = v
		}
		cases, fresh = append(cases, c), append(fresh, v)
	}
	done, err := Compare(ctx, s.day, cases, s.options)
	if err != nil {
		return err
	}
	s.curve.LongestGap = done.LongestGap
	for i, v := range fresh {
		p := Point{Value: v, Gap: above[v], Figures: done.Lines[i].Figures}
		if p.Through = p.Figures.Extra.Count; s.curve.Knob == Lease {
			p.Through = p.Figures.LostClaims
		}
		s.known[v] = p
		s.curve.Points = append(s.curve.Points, p)
	}
	slices.SortFunc(s.curve.Points, func(a, b Point) int { return cmp.Compare(a.Value, b.Value) })
	return nil
}

// search narrows the smallest value down to two neighbouring gaps.
func (s *sweep) search(ctx context.Context) error {
	for {
		points := s.curve.Points
		i := len(points) - 1
		s.curve.Rest = points[i].Through
		for i > 0 && points[i-1].Through == s.curve.Rest {
			i--
		}
		s.curve.Smallest, s.curve.Gap = points[i].Value, points[i].Gap
		if i == 0 {
			return nil
		}
		gaps := s.turns.between(points[i-1].Value, points[i].Value-1)
		if len(gaps) == 0 {
			return nil
		}
		if err := s.evaluate(ctx, nil, spread(gaps, perRound)); err != nil {
			return err
		}
	}
}

// spread picks at most n of a sorted list, evenly, the last one among them.
func spread(list []time.Duration, n int) []time.Duration {
	if len(list) <= n {
		return list
	}
	var some []time.Duration
	for i := 1; i <= n; i++ {
		some = append(some, list[i*len(list)/n-1])
	}
	return some
}

// read collects the spans of the day at which the curve can turn.
func (s *sweep) read(ctx context.Context) error {
	opening, err := replay.Open(ctx, s.day)
	if err != nil {
		return err
	}
	s.requests = opening.Total
	s.turns.place = map[digest]int{}
	policy := s.curve.Base.Policy
	stream := replay.Read(ctx, s.day, policy)
	defer stream.Close()
	clock := replay.NewClock(opening)
	for {
		rows, err := stream.Batch()
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			s.turns.sort()
			return ctx.Err()
		}
		for i := range rows {
			at := clock.Arrive(&rows[i]).Sub(opening.Start)
			if rows[i].Usable() {
				s.turns.add(scopedDigest(rows[i].ScopedKey(policy)), s.curve.Knob, at, rows[i].Duration())
			}
		}
	}
}

func scopedDigest(k engine.ScopedKey) digest {
	return keyDigest(engine.Request{ClientID: k.ClientID, Endpoint: k.Endpoint, Key: k.Key})
}
