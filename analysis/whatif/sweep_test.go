package whatif

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/analysis/replay/daytest"
	"idem/engine"
	"idem/fixtures"
)

func TestSweepFindsTheSmallestRetention(t *testing.T) {
	d := daytest.New()
	d.Pay(0, "k", 100, 0)
	d.Pay(time.Hour, "l", 100, 0)
	d.Pay(2*time.Hour, "k", 100, 0)
	d.Pay(5*time.Hour+7, "l", 100, 0)
	c, err := Sweep(ctx, d, Default(), Retention, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Gap != 4*time.Hour+7 || c.Smallest != c.Gap+1 || c.Rest != 0 {
		t.Errorf("smallest is %v above %v with %d left, want just above 4h0m0.000000007s with none", c.Smallest, c.Gap, c.Rest)
	}
	for _, gap := range []time.Duration{2 * time.Hour, 4*time.Hour + 7} {
		if !slices.ContainsFunc(c.Points, func(p Point) bool { return p.Gap == gap && p.Value == gap+1 }) {
			t.Errorf("the curve has no point just above %v", gap)
		}
	}
	for _, p := range c.Points {
		want := int64(0)
		if p.Value <= 4*time.Hour+7 {
			want++
		}
		if p.Value <= 2*time.Hour {
			want++
		}
		if p.Through != want {
			t.Errorf("%v lets %d through, want %d", p.Value, p.Through, want)
		}
	}
}

func TestSweepOfALease(t *testing.T) {
	d := daytest.New()
	d.Pay(0, "k", 100, 20*time.Second)
	d.Pay(7*time.Second, "k", 100, time.Second)
	d.Pay(time.Minute, "k", 100, 0)
	c, err := Sweep(ctx, d, Default(), Lease, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Gap != 7*time.Second || c.Smallest != c.Gap+1 || c.Rest != 0 || c.Points[0].Through != 1 || c.Points[0].Figures.Unfenced.ByCurrency.Of("KRW") != 100 {
		t.Errorf("smallest is %v above %v with %d left, first %+v; want just above 7s", c.Smallest, c.Gap, c.Rest, c.Points[0])
	}
	for _, p := range c.Points {
		if p.Figures.Extra.Count != 0 {
			t.Errorf("a lease of %v pays %d twice: the fence is gone", p.Value, p.Figures.Extra.Count)
		}
	}
}

func TestSweepWhereTheKnobCannotHelp(t *testing.T) {
	d := daytest.New()
	d.Pay(0, "k", 100, 0)
	d.Pay(time.Second, "k", 200, 0) // another amount: another key
	c, err := Sweep(ctx, d, with(t, "scope=client_id,idem_key,amount"), Retention, Options{})
	if err != nil || c.Rest != 1 || c.Gap != 0 || c.Smallest != 30*time.Second+1 {
		t.Errorf("curve %+v (%v), want one left at the smallest retention there can be", c, err)
	}
	if _, err := Sweep(ctx, d, Default(), "scope", Options{}); !errors.Is(err, engine.ErrPolicy) {
		t.Errorf("a sweep over the scope gives %v", err)
	}
}

// Between two of the day's gaps nothing turns, and from the smallest value on
// nothing more gets through: found by trying values that the sweep did not.
func TestAnySweepIsAStaircase(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := daytest.Any(rt)
		base := anyCase(rt)
		base.Policy.Retention = 24 * time.Hour
		knob := rapid.SampledFrom([]Knob{Retention, Lease}).Draw(rt, "knob")
		c, err := Sweep(ctx, d, base, knob, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		s := &sweep{day: d, curve: &Curve{Knob: knob, Base: base}, known: map[time.Duration]Point{}}
		s.options.Replay.NoRenewal = knob == Lease
		low, high := s.bounds()
		v := time.Duration(rapid.Int64Range(int64(low), int64(min(high, 72*time.Hour))).Draw(rt, "value"))
		if err := s.evaluate(ctx, []time.Duration{v, c.Smallest}, nil); err != nil {
			rt.Fatal(err)
		}
		below := c.Points[0]
		for _, p := range c.Points {
			if p.Value <= v {
				below = p
			}
		}
		if got := s.known[v].Through; len(c.Points) < mostTurns && got != below.Through {
			rt.Errorf("%v lets %d through, the step below it at %v %d", v, got, below.Value, below.Through)
		}
		if v >= c.Smallest && s.known[v].Through != c.Rest {
			rt.Errorf("%v lets %d through, which is not the %d of %v", v, s.known[v].Through, c.Rest, c.Smallest)
		}
		if c.Gap > 0 && c.Gap >= low {
			if err := s.evaluate(ctx, []time.Duration{c.Gap}, nil); err != nil {
				rt.Fatal(err)
			}
			if s.known[c.Gap].Through == c.Rest {
				rt.Errorf("%v does as well as the smallest value %v", c.Gap, c.Smallest)
			}
		}
	})
}

// A day with more gaps than points: the search finds the same value as trying all.
func TestSweepSearches(t *testing.T) {
	in := lab(t, fixtures.Options{Seed: 3, Requests: 1000, Keys: 700, Accounts: 8})
	c, err := Sweep(ctx, in, Default(), Retention, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dup, err := in.Duplicates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Rest != 0 || c.Gap != dup.LongestGap {
		t.Errorf("smallest retention lies above %v with %d left; the longest gap is %v", c.Gap, c.Rest, dup.LongestGap)
	}
	if len(c.Points) > mostTurns+len(ladder)+1+5*perRound {
		t.Errorf("%d points", len(c.Points))
	}
}

// A retention that ends while a request of the key runs loses the completion, so
// that the curve also turns at how long requests ran.
func TestSweepTurnsWhereARunOutlivesItsKey(t *testing.T) {
	d := daytest.New()
	d.Pay(0, "k", 100, 40*time.Second)
	d.Pay(time.Second, "l", 100, 0)
	c, err := Sweep(ctx, d, Default(), Retention, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(c.Points, func(p Point) bool { return p.Gap == 40*time.Second }) {
		t.Errorf("no point just above the 40 s that a request ran: %+v", c.Points)
	}
}

// What is looked up is what all pairs give, and where only some are wanted, they
// are of them.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		knob := rapid.SampledFrom([]Knob{Retention, Lease}).Draw(rt, "knob")
		all := turns{place: map[digest]int{}}
		type run struct{ at, ran time.Duration }
		keys := map[byte][]run{}
		var now time.Duration
		for range rapid.IntRange(0, 60).Draw(rt, "requests") {
			now += time.Duration(rapid.IntRange(0, 9).Draw(rt, "gap"))
			key := byte(rapid.IntRange(0, 2).Draw(rt, "key"))
			r := run{now, time.Duration(rapid.IntRange(0, 30).Draw(rt, "ran"))}
			keys[key] = append(keys[key], r)
			all.add(digest{key}, knob, r.at, r.ran)
		}
		all.sort()
		low := time.Duration(rapid.IntRange(0, 40).Draw(rt, "low"))
		high := low + time.Duration(rapid.IntRange(0, 40).Draw(rt, "width"))
		got := all.between(low, high)
		for _, runs := range keys {
			for i, a := range runs {
				for _, b := range runs[i:] {
					spans := []time.Duration{b.at - a.at, b.at + b.ran - a.at}
					if knob == Lease {
						spans = spans[:1]
					}
					for _, span := range spans {
						matters := span > 0 && span >= low && span < high && (knob == Retention || span < a.ran)
						if _, is := slices.BinarySearch(got, span); matters && !is {
							rt.Errorf("%v from %v to %v is missing of %v", span, a, b, got)
						}
					}
				}
			}
		}
		if len(got) > 0 && (got[0] < low || got[len(got)-1] >= high) {
			rt.Errorf("%v leave [%v, %v)", got, low, high)
		}
	})
}

// One key that was sent very often: some of its spans are given, quickly, and
// always some.
func TestTurnsOfAHotKey(t *testing.T) {
	all := turns{place: map[digest]int{}}
	for i := range 100_000 {
		all.add(digest{1}, Retention, time.Duration(i)*time.Second, 0)
	}
	all.sort()
	got := all.between(time.Second, 100_000*time.Second)
	if len(got) == 0 || len(got) > mostSpans+1 {
		t.Errorf("%d spans", len(got))
	}
	if got := all.between(99_999*time.Second, math.MaxInt64); len(got) != 1 || got[0] != 99_999*time.Second {
		t.Errorf("the longest span is %v", got)
	}
}
