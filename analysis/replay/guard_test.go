package replay_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/analysis"
	"idem/analysis/classroom"
	"idem/analysis/replay"
	"idem/analysis/replay/daytest"
	"idem/engine"
	"idem/engine/memstore"
)

// guarded sends a day through an engine under a guard's eyes.
func guarded(t rapid.TB, d *daytest.Day, s engine.Store, p engine.Policy, o replay.Options) *replay.Guard {
	t.Helper()
	ctx := context.Background()
	day, err := replay.Open(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	g := replay.NewGuard(day.Accounts)
	o.Watch = g.Watch
	c, err := replay.NewCourse(ctx, day, s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	rows := replay.Read(ctx, d, p)
	defer rows.Close()
	for {
		r, ok, err := rows.Peek(0)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return g
		}
		next, _, err := rows.Peek(1)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := c.Send(ctx, r, next)
		if err != nil {
			t.Fatal(err)
		}
		rows.Drop()
		sums, err := c.Sums()
		if err != nil {
			t.Fatal(err)
		}
		g.Sent(sent, &sums)
	}
}

// The right engine breaks nothing, whatever the day and whatever is done to it.
func TestGuardOfTheRightEngine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := daytest.Any(rt)
		var o replay.Options
		for i := range d.Sent {
			seq := d.Sent[i].Seq
			switch rapid.IntRange(0, 9).Draw(rt, "injected") {
			case 0:
				o.CrashAt = append(o.CrashAt, seq)
			case 1:
				o.StallAt = append(o.StallAt, seq)
			case 2:
				o.RaceAt = append(o.RaceAt, seq)
			}
		}
		o.NoRenewal = rapid.Bool().Draw(rt, "no renewal")
		p := engine.DefaultPolicy()
		p.Stored = rapid.SampledFrom([]engine.StoredReplies{engine.StoreAll, engine.StoreNot5xx, engine.StoreSuccess}).Draw(rt, "stored")
		p.Retention = rapid.SampledFrom([]time.Duration{p.Retention, time.Hour, time.Minute}).Draw(rt, "retention")
		if b, broke := guarded(rt, d, memstore.New(), p, o).Breach(); broke {
			rt.Errorf("%+v", b)
		}
	})
}

// Wrong engines are caught where their mistake first shows.
func TestGuardCatchesWrongEngines(t *testing.T) {
	const sec = time.Second
	tests := []struct {
		lesson    string
		build     func(*daytest.Day)
		options   replay.Options
		at, n     int64
		invariant replay.Invariant
	}{
		{"look-up-first", func(d *daytest.Day) {
			d.Pay(0, "other", 100, 0)
			d.Pay(0, "k", 100, 9*sec)
			d.Pay(sec, "k", 100, 2*sec)
		}, replay.Options{}, 3, 3, replay.OneTransfer},
		{"look-up-first", func(d *daytest.Day) { d.Pay(0, "k", 100, 0) }, replay.Options{RaceAt: []int64{1}}, 1, 1, replay.OneTransfer},
		{"complete-first", func(d *daytest.Day) {
			d.Pay(0, "k", 100, sec)
			d.Pay(30*sec, "k", 100, 0)
		}, replay.Options{CrashAt: []int64{1}}, 2, 2, replay.Backed},
		{"no-fence", func(d *daytest.Day) {
			d.Pay(0, "k", 100, 40*sec)
			d.Pay(30*sec, "k", 100, 60*sec)
			d.Pay(50*sec, "other", 100, 0)
		}, replay.Options{NoRenewal: true}, 2, 1, replay.StaleToken},
	}
	for _, tt := range tests {
		t.Run(tt.lesson, func(t *testing.T) {
			d := daytest.New()
			tt.build(d)
			l, ok := classroom.LessonNamed(tt.lesson)
			if !ok {
				t.Fatal("no such lesson")
			}
			s, p := l.Engine(memstore.New(), engine.DefaultPolicy())
			b, broke := guarded(t, d, s, p, tt.options).Breach()
			if !broke || b.At != tt.at || b.N != tt.n || b.Invariant != tt.invariant {
				t.Errorf("%t, %+v; want %q of request %d at %d", broke, b, tt.invariant, tt.n, tt.at)
			}
			if b, broke := guarded(t, d, memstore.New(), engine.DefaultPolicy(), tt.options).Breach(); broke {
				t.Errorf("the right engine: %+v", b)
			}
		})
	}
}

// What no engine at hand does is told all the same: a course that contradicts
// itself.
func TestGuardOfSteps(t *testing.T) {
	step := replay.Step{N: 7, Seq: 70, Class: replay.InFlight, Moved: 5}
	one := replay.Counters{Tally: replay.Tally{Requests: 1, InFlight: 1}}
	tests := []struct {
		name string
		sent replay.Sent
		sums replay.Counters
		want replay.Invariant
	}{
		{"a 409 that moved money", replay.Sent{Step: step}, one, replay.LosersWrite},
		{"a request in two classes", replay.Sent{}, replay.Counters{Tally: replay.Tally{Requests: 1, InFlight: 1, Created: 1}}, replay.OneClass},
		{"a balance out of nowhere", replay.Sent{Step: replay.Step{N: 7, Src: replay.Balances{Account: "a", Known: true, Engine: 3}}}, replay.Counters{}, replay.Conserved},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := replay.NewGuard([]analysis.Account{{ID: "a", Balance: 100}})
			g.Sent(&tt.sent, &tt.sums)
			if b, broke := g.Breach(); !broke || b.Invariant != tt.want {
				t.Errorf("%t, %+v; want %q", broke, b, tt.want)
			}
		})
	}
}
