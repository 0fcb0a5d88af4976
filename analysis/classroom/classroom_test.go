package classroom

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/analysis/replay/daytest"
	"idem/analysis/whatif"
	"idem/engine"
	"idem/engine/memstore"
	"idem/engine/sqlitestore"
	"idem/fixtures/dayfile"
)

const sec = time.Second

var ctx = context.Background()

func lesson(t testing.TB, name string) Lesson {
	t.Helper()
	l, ok := LessonNamed(name)
	if !ok {
		t.Fatalf("no lesson %q", name)
	}
	return l
}

func teach(t testing.TB, day replay.Source, l Lesson, p engine.Policy, o replay.Options) *Verdict {
	t.Helper()
	d, err := Begin(ctx, day, l, p, o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	v, err := d.Run(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// has reports whether the violations hold one of an invariant.
func has(list []Violation, i Invariant) bool {
	return slices.ContainsFunc(list, func(v Violation) bool { return v.Invariant == i })
}

// shown is where an engine first differs from the right one, and the money that it
// pays again and leaves unpaid.
type shown struct {
	first             int64
	paidAgain, unpaid int64
}

// mistakes are days on which a wrong engine shows.
var mistakes = []struct {
	lesson  string
	name    string
	build   func(*daytest.Day)
	options replay.Options
	breaks  []Invariant
	want    shown
}{
	{"look-up-first", "overlap", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 2*sec)
		d.Pay(sec, "k", 100, 2*sec)
		d.Pay(9*sec, "k", 100, 0)
	}, replay.Options{}, []Invariant{OneTransfer, StaleToken}, shown{first: 2, paidAgain: 100}},
	{"look-up-first", "race", func(d *daytest.Day) { d.Pay(0, "k", 100, 0) },
		replay.Options{RaceAt: []int64{1}}, []Invariant{OneTransfer}, shown{first: 1, paidAgain: 100}},
	{"complete-first", "crash", func(d *daytest.Day) {
		d.Pay(0, "k", 100, sec)
		d.Pay(30*sec, "k", 100, 0)
		d.Pay(60*sec, "k", 100, 0)
	}, replay.Options{CrashAt: []int64{1}}, []Invariant{Backed}, shown{first: 2, unpaid: 200}},
	{"complete-first", "overlap", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 5*sec)
		d.Pay(sec, "k", 100, 0)
		d.Pay(9*sec, "k", 100, 0)
	}, replay.Options{}, []Invariant{Backed}, shown{first: 2, unpaid: 100}},
	{"raw-fingerprint", "reordered", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Ask(sec, "k", `{"amount":100.0,"currency":"KRW","dst":"b","src":"a"}`, 0)
	}, replay.Options{}, []Invariant{EqualBody}, shown{first: 2}},
	{"no-fingerprint", "another amount", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Pay(sec, "k", 700, 0)
	}, replay.Options{}, []Invariant{OwnResult}, shown{first: 2, unpaid: 700}},
	{"no-fingerprint", "another amount in flight", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 2*sec)
		d.Pay(sec, "k", 700, 0)
	}, replay.Options{}, []Invariant{InFlightOnly}, shown{first: 2}},
	{"global-key", "two clients", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Pay(sec, "k", 100, 0).ClientID = "other"
		d.Pay(sec, "k", 300, 0).Endpoint = "/v1/refunds"
	}, replay.Options{}, []Invariant{OwnResult, EqualBody}, shown{first: 2, unpaid: 100}},
	{"global-key", "two clients at once", func(d *daytest.Day) {
		d.Pay(0, "k", 100, sec)
		d.Pay(0, "k", 100, 0).ClientID = "other"
	}, replay.Options{}, []Invariant{InFlightOnly}, shown{first: 2}},
	{"computed-anew", "retry", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Pay(sec, "k", 100, 0)
	}, replay.Options{}, []Invariant{SameAnswer}, shown{first: 2}},
	{"no-fence", "stall", func(d *daytest.Day) {
		d.Pay(0, "k", 100, sec)
		d.Pay(30*sec, "k", 100, sec)
	}, replay.Options{StallAt: []int64{1}}, []Invariant{StaleToken, OneTransfer}, shown{first: 2, paidAgain: 100}},
	{"no-fence", "leases that are not renewed", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 40*sec)
		d.Pay(30*sec, "k", 100, 40*sec)
	}, replay.Options{NoRenewal: true}, []Invariant{StaleToken, OneTransfer}, shown{first: 2, paidAgain: 100}},
}

// Each wrong engine is caught by the invariants that it breaks, on a day on which
// the right one passes; and money leaks where it must.
func TestEachWrongEngineIsCaught(t *testing.T) {
	taught := map[string]bool{}
	for _, tt := range mistakes {
		taught[tt.lesson] = true
		t.Run(tt.lesson+"/"+tt.name, func(t *testing.T) {
			d := daytest.New()
			tt.build(d)
			v := teach(t, d, lesson(t, tt.lesson), engine.DefaultPolicy(), tt.options)
			if len(v.Sound) > 0 {
				t.Errorf("the right engine breaks %+v", v.Sound)
			}
			for _, i := range tt.breaks {
				if !has(v.Caught, i) {
					t.Errorf("%q is not caught; violations %+v", i, v.Caught)
				}
			}
			got := shown{v.First, v.Leak.PaidAgain.Of("KRW"), v.Leak.Unpaid.Of("KRW")}
			if got != tt.want {
				t.Errorf("first divergence, paid again, unpaid: %+v, want %+v", got, tt.want)
			}
		})
	}
	for _, l := range Lessons() {
		if !taught[l.Name] {
			t.Errorf("lesson %s is not proven to be caught", l.Name)
		}
	}
}

// What a lesson says it breaks is all that it breaks.
func TestLessonsBreakWhatTheySay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d, o := daytest.Any(rt), anyOptions(rt)
		l := rapid.SampledFrom(Lessons()).Draw(rt, "lesson")
		v := teach(t, d, l, engine.DefaultPolicy(), o)
		if len(v.Sound) > 0 {
			rt.Fatalf("the right engine breaks %+v", v.Sound)
		}
		if v.First == 0 && len(v.Caught) > 0 {
			rt.Fatalf("%s did what the right engine did and is accused of %+v", l.Name, v.Caught)
		}
	})
}

func anyOptions(t *rapid.T) replay.Options {
	seqs := rapid.SliceOfN(rapid.Int64Range(1, 30), 0, 6)
	return replay.Options{CrashAt: seqs.Draw(t, "crash"), StallAt: seqs.Draw(t, "stall"), RaceAt: seqs.Draw(t, "race"),
		NoRenewal: rapid.Bool().Draw(t, "no renewal")}
}

// The right engine passes on any day, under any policy, over each store, whatever
// is injected, and with a purge before every request.
func TestTheRightEnginePasses(t *testing.T) {
	for _, kind := range []string{"memory", "SQLite", "purged"} {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				p := anyPolicy(rt)
				var s engine.Store = memstore.New()
				switch kind {
				case "purged":
					s = purging{s}
				case "SQLite":
					var err error
					if s, err = sqlitestore.OpenBulk(ctx, filepath.Join(t.TempDir(), "day.db"), sqlitestore.BulkOptions{}); err != nil {
						rt.Fatal(err)
					}
				}
				defer s.Close()
				a := audited(rt, daytest.Any(rt), s, p, anyOptions(rt))
				if len(a.Violations) > 0 {
					rt.Errorf("the right engine breaks %+v", a.Violations)
				}
			})
		})
	}
}

func anyPolicy(t *rapid.T) engine.Policy {
	p := rapid.SampledFrom(append(whatif.Presets(), whatif.Default())).Draw(t, "policy").Policy
	p.Retention = rapid.SampledFrom([]time.Duration{time.Minute, 24 * time.Hour, engine.Forever}).Draw(t, "retention")
	p.Lease = rapid.SampledFrom([]time.Duration{sec, 30 * sec}).Draw(t, "lease")
	return p
}

// audited replays a day over a store and audits it.
func audited(t *rapid.T, day replay.Source, s engine.Store, p engine.Policy, o replay.Options) *Audit {
	opening, err := replay.Open(ctx, day)
	if err != nil {
		t.Fatal(err)
	}
	a := NewAudit(p)
	o.Watch = a.Watch
	course, err := replay.NewCourse(ctx, opening, s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	rows := replay.Read(ctx, day, p)
	defer rows.Close()
	for r, ok, _ := rows.Peek(0); ok; r, ok, _ = rows.Peek(0) {
		next, _, _ := rows.Peek(1)
		if _, err := course.Send(ctx, r, next); err != nil {
			t.Fatal(err)
		}
		rows.Drop()
	}
	sums, err := course.Sums()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(ctx, opening, s, sums); err != nil {
		t.Fatal(err)
	}
	return a
}

// purging purges all that has expired before each claim.
type purging struct{ engine.Store }

func (s purging) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	if cutoff, ok := p.PurgeCutoff(c.Now); ok {
		if _, err := s.Purge(ctx, cutoff, c.Now, 1000); err != nil {
			return engine.Verdict{}, err
		}
	}
	return s.Store.Claim(ctx, c, p)
}

// The balances are judged, too: a store that loses money is caught.
func TestMoneyThatVanishesIsCaught(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := daytest.New()
		d.Pay(0, "k", 100, 0)
		s := leaky{memstore.New()}
		if a := audited(rt, d, s, engine.DefaultPolicy(), replay.Options{}); !has(a.Violations, Conserved) {
			rt.Errorf("violations %+v, want %q", a.Violations, Conserved)
		}
	})
}

// leaky rounds a cent off every balance that it shows.
type leaky struct{ engine.Store }

func (s leaky) View(ctx context.Context, fn func(engine.Tx) error) error {
	return s.Store.View(ctx, func(tx engine.Tx) error { return fn(leakyTx{tx}) })
}

type leakyTx struct{ engine.Tx }

func (t leakyTx) Account(ctx context.Context, id string) (*engine.Account, error) {
	a, err := t.Tx.Account(ctx, id)
	if a != nil {
		a.Balance -= a.Balance % 7
	}
	return a, err
}

func labDay(t *testing.T) *analysis.Incident {
	t.Helper()
	path := dayfile.Lab(t)
	in, err := analysis.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// On the lab's day every lesson but the global key's shows, injected where the
// suggestion says.
func TestLessonsOnTheLabDay(t *testing.T) {
	in := labDay(t)
	p := engine.DefaultPolicy()
	s, err := Suggest(ctx, in, p)
	if err != nil || s.Crash == 0 || s.Race == 0 || s.Gap <= 0 {
		t.Fatalf("suggestion %+v (%v)", s, err)
	}
	if s.Gap < p.Lease {
		p.Lease = s.Gap
	}
	for _, l := range Lessons() {
		o := replay.Options{}
		switch l.Name {
		case "complete-first":
			o.CrashAt = []int64{s.Crash}
		case "no-fence":
			o.StallAt = []int64{s.Crash}
		case "look-up-first":
			o.RaceAt = []int64{s.Race}
		}
		v := teach(t, in, l, p, o)
		if len(v.Sound) > 0 {
			t.Errorf("%s: the right engine breaks %+v", l.Name, v.Sound)
		}
		if shows := l.Name != "global-key"; (v.First != 0) != shows || (len(v.Caught) > 0) != shows {
			t.Errorf("%s: first divergence at %d, %d violations", l.Name, v.First, len(v.Caught))
		}
		if len(v.Caught) > 0 && !has(v.Caught, l.Breaks[0]) {
			t.Errorf("%s: %q is not among %+v", l.Name, l.Breaks[0], v.Caught)
		}
	}
}

func TestNextIsNotSent(t *testing.T) {
	d := daytest.New()
	d.Pay(0, "k", 100, 0)
	d.Pay(sec, "k", 700, 0)
	duel, err := Begin(ctx, d, lesson(t, "no-fingerprint"), engine.DefaultPolicy(), replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer duel.Close()
	for want := range int64(2) {
		for range 2 {
			if r, err := duel.Next(); err != nil || r.N() != want+1 || duel.Sent() != want {
				t.Fatalf("next is %v (%v) after %d", r, err, duel.Sent())
			}
		}
		round, err := duel.Send(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if round.Diverged != (want == 1) {
			t.Errorf("request %d diverged: %v", want+1, round.Diverged)
		}
		if want == 1 && (round.Right.Step.Class != replay.Mismatch || round.Wrong.Step.Class != replay.Replayed ||
			len(round.Violations) != 1 || round.Leak.Unpaid.Of("KRW") != 700 || duel.First() != 2) {
			t.Errorf("round %+v", round)
		}
	}
	if _, err := duel.Next(); !errors.Is(err, ErrEnd) {
		t.Errorf("after the last request next gives %v", err)
	}
	if _, err := duel.Send(ctx); !errors.Is(err, ErrEnd) {
		t.Errorf("after the last request send gives %v", err)
	}
}

func TestLessonsAreWhole(t *testing.T) {
	for _, l := range Lessons() {
		if l.Name == "" || l.Title == "" || l.Story == "" || l.Shows == "" || len(l.Breaks) == 0 || strings.ToLower(l.Name) != l.Name {
			t.Errorf("lesson %+v lacks something", l)
		}
		s, p := l.Engine(memstore.New(), engine.DefaultPolicy())
		_, real := s.(*memstore.Store)
		if real && p.Hash() == engine.DefaultPolicy().Hash() {
			t.Errorf("lesson %s changes nothing", l.Name)
		}
		if err := p.Validate(); err != nil {
			t.Errorf("lesson %s: %v", l.Name, err)
		}
	}
}
