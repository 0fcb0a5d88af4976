package replay

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/analysis"
	"idem/engine"
)

// playWith opens the day for replay with something done to it.
func (d *day) playWith(t testing.TB, policy engine.Policy, o Options) *Player {
	t.Helper()
	path := filepath.Join(t.TempDir(), "idem.db")
	d.write(t, path)
	in, err := analysis.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewWith(context.Background(), in, policy, t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); in.Close() })
	return p
}

func TestInjections(t *testing.T) {
	body := payment("a", "b", 100)
	sends := func(at ...time.Duration) *day {
		d := &day{accounts: map[string]int64{"a": 1_000_000, "b": 0}}
		for _, at := range at {
			d.pay(at, "k", body, 1000, 100)
		}
		return d
	}
	tests := []struct {
		name    string
		day     *day
		options Options
		want    []string
		stopped int64
		refused int64
	}{
		{"a crash bars retries until the lease has passed", sends(0, 29*sec, 30*sec, 60*sec), Options{CrashAt: []int64{1}},
			[]string{"refused crashed", "409 in flight", "created", "replayed"}, 300, 0},
		{"a crash that nobody takes over", sends(0, 29*sec), Options{CrashAt: []int64{1}},
			[]string{"refused crashed", "409 in flight"}, 0, 200},
		{"the one that took over crashes, too", sends(0, 30*sec, 70*sec), Options{CrashAt: []int64{1, 2}},
			[]string{"refused crashed", "refused crashed", "created"}, 200, 0},
		{"all crash", sends(0, 30*sec), Options{CrashAt: []int64{1, 2}},
			[]string{"refused crashed", "refused crashed"}, 0, 200},
		{"a crash of a request that gets no claim is none", sends(0, 500*time.Millisecond), Options{CrashAt: []int64{2}},
			[]string{"created", "409 in flight"}, 100, 0},
		{"a stalled worker comes back too late", sends(0, 10*sec, 30*sec, 60*sec), Options{StallAt: []int64{1}},
			[]string{"refused claim_lost", "409 in flight", "created", "replayed"}, 300, 0},
		{"a stalled worker that nobody took over", sends(0, 10*sec), Options{StallAt: []int64{1}},
			[]string{"refused crashed", "409 in flight"}, 0, 200},
		{"a stalled worker behind one that crashes", sends(0, 30*sec, 60*sec), Options{StallAt: []int64{1}, CrashAt: []int64{2}},
			[]string{"refused crashed", "refused crashed", "created"}, 200, 0},
		{"two stalled workers wake in turn", sends(0, 30*sec, 60*sec), Options{StallAt: []int64{1, 2}},
			[]string{"refused claim_lost", "refused claim_lost", "created"}, 200, 0},
		{"a crashed key expires", sends(0, 72*hr), Options{CrashAt: []int64{1}},
			[]string{"refused crashed", "created"}, 0, 100},
		{"a race", sends(0, 5*sec), Options{RaceAt: []int64{1, 2}}, []string{"created", "replayed"}, 100, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.day.playWith(t, engine.DefaultPolicy(), tt.options)
			r := p.through(t)
			if got := p.classes(t); !slices.Equal(got, tt.want) {
				t.Errorf("classes %q, want %q", got, tt.want)
			}
			if r.Stopped.Of("KRW") != tt.stopped || r.RefusedV1.Of("KRW") != tt.refused {
				t.Errorf("stopped %d and refused %d, want %d and %d", r.Stopped.Of("KRW"), r.RefusedV1.Of("KRW"), tt.stopped, tt.refused)
			}
		})
	}
}

func TestARaceIsAnsweredAndChangesNothing(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1000, "b": 0}}
	d.pay(0, "k", payment("a", "b", 100), 0, 100)
	d.pay(sec, "k", payment("a", "b", 100), 0, 100)
	d.pay(2*sec, "k", payment("a", "b", 7), 0, 7)
	p := d.playWith(t, engine.DefaultPolicy(), Options{RaceAt: []int64{1, 2, 3}})
	raced := p.through(t)
	steps, err := p.Steps(context.Background(), 1, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Class{InFlight, Replayed, Mismatch} {
		if steps[i].Twin != want {
			t.Errorf("the twin of request %d got %v, want %v", i+1, steps[i].Twin, want)
		}
	}
	if plain := d.play(t, engine.DefaultPolicy()).through(t); plain.Tally != raced.Tally {
		t.Errorf("counters with races are %+v, without %+v", raced.Tally, plain.Tally)
	}
}

// What v1 moved for a crashed request and those that met its claim is told apart
// as soon as the one that took over has paid.
func TestACrashIsAttributedWhenTheHeirPays(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1000, "b": 0}}
	for _, at := range []time.Duration{0, sec, 30 * sec, 60 * sec} {
		d.pay(at, "k", payment("a", "b", 100), 0, 100)
	}
	p := d.playWith(t, engine.DefaultPolicy(), Options{CrashAt: []int64{1}})
	p.through(t)
	for n, want := range []int64{0, 0, 0, 200, 300} {
		c, err := p.Counters(context.Background(), int64(n))
		if err != nil || c.Stopped.Of("KRW") != want {
			t.Errorf("stopped at %d is %d (%v), want %d", n, c.Stopped.Of("KRW"), err, want)
		}
	}
}

func TestACrashShowsTheClaimThatStands(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1000, "b": 0}}
	d.pay(0, "k", payment("a", "b", 100), 60_000, 100)
	d.pay(30*sec, "k", payment("a", "b", 100), 0, 100)
	p := d.playWith(t, engine.DefaultPolicy(), Options{CrashAt: []int64{1}})
	p.through(t)
	taken, err := p.Detail(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if taken.Before == nil || taken.Before.State != engine.InProgress || !taken.Before.LeaseUntil.Equal(start.Add(30*sec)) {
		t.Errorf("the claim taken over is %+v, want one in progress until %v", taken.Before, start.Add(30*sec))
	}
	if taken.After == nil || taken.After.Attempt != 2 || !taken.After.ClaimedAt.Equal(start) || taken.HolderSeq != 2 {
		t.Errorf("it became %+v of request %d, want attempt 2, claimed when it was", taken.After, taken.HolderSeq)
	}
}

// Whatever is done to a day, its figures agree and each transfer has its life.
func TestAnyInjectionReconciles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := anyDay(rt)
		policy := engine.DefaultPolicy()
		policy.Lease = rapid.SampledFrom([]time.Duration{time.Second, 30 * time.Second}).Draw(rt, "lease")
		seqs := rapid.SliceOfN(rapid.Int64Range(1, 40), 0, 8)
		p := d.playWith(t, policy, Options{CrashAt: seqs.Draw(rt, "crash"), StallAt: seqs.Draw(rt, "stall"),
			RaceAt: seqs.Draw(rt, "race"), NoRenewal: rapid.Bool().Draw(rt, "no renewal")})
		seen := p.stepThrough(rt)
		p.through(t)
		p.lookBack(rt, seen)
	})
}
