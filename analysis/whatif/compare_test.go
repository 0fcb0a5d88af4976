package whatif

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/analysis/replay/daytest"
	"idem/engine"
	"idem/engine/memstore"
	"idem/fixtures"
	"idem/fixtures/dayfile"
)

var ctx = context.Background()

func compare(t testing.TB, day replay.Source, cases ...Case) *Comparison {
	t.Helper()
	c, err := Compare(ctx, day, cases, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// with is the default policy with some changes.
func with(t testing.TB, changes string) Case {
	t.Helper()
	p, err := ParseChanges(changes, engine.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	return Case{Name: changes, Policy: p}
}

func lab(t testing.TB, o fixtures.Options) *analysis.Incident {
	t.Helper()
	path := dayfile.Of(t, o)
	in, err := analysis.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// On the lab's day the default policy stops what the duplicate analysis found.
func TestLabDayAgreesWithTheDuplicates(t *testing.T) {
	in := lab(t, fixtures.Lab())
	dup, err := in.Duplicates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := compare(t, in, append([]Case{Default()}, Presets()...)...)
	if c.Requests != 120 || c.Keys != dup.UniqueKeys || c.LongestGap != dup.LongestGap || c.V1Extra.Count != dup.ExtraTransfers ||
		!reflect.DeepEqual(c.V1Extra.ByCurrency, dup.DoublePaid) {
		t.Errorf("the day is %+v, want what the duplicates say: %d keys, gap %v, %d extra of %v", c, dup.UniqueKeys, dup.LongestGap, dup.ExtraTransfers, dup.DoublePaid)
	}
	f := c.Lines[0].Figures
	if f.Extra.Count != 0 || f.Stopped.Count != 20 || !reflect.DeepEqual(f.Stopped.ByCurrency, dup.DoublePaid) || f.HonestRefused != 0 || f.Missing.Count != 0 {
		t.Errorf("the default policy comes to %+v", f)
	}
	for _, l := range c.Lines {
		f := l.Figures
		if f.Created+f.Replayed+f.InFlight+f.Mismatch+f.Refused != 120 || f.Extra.Count+f.Stopped.Count != 20 {
			t.Errorf("%s: classes or payments do not add up: %+v", l.Name, f)
		}
		if l.RetentionTooShort {
			t.Errorf("%s is warned of with a longest gap of %v", l.Name, c.LongestGap)
		}
	}
}

const sec, hour = time.Second, time.Hour

// figured are days that come to one line of figures each.
var figured = []struct {
	name   string
	policy string
	build  func(*daytest.Day)
	want   Figures
}{
	{"a late retry of a short retention is paid again", "retention_hours=0.5", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Pay(hour/2, "k", 100, 0)
	}, Figures{Created: 2, Extra: Payments{Count: 1}, ExpiredReruns: 1}},
	{"another spelling under raw bytes", "fingerprint=raw", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		daytest.Moved(d.Ask(sec, "k", `{"amount":100,"dst":"b","src":"a","currency":"KRW"}`, 0), 100)
	}, Figures{Created: 1, Mismatch: 1, HonestRefused: 1, RetriesRefused: 1, Stopped: Payments{Count: 1}}},
	{"another body is refused rightly", "scope=client_id,endpoint,idem_key", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Pay(sec, "k", 200, 0)
		d.Pay(2*sec, "k", 200, 0)
	}, Figures{Created: 1, Mismatch: 2, Stopped: Payments{Count: 2}}},
	{"another body without a fingerprint", "fingerprint=none", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Pay(sec, "k", 200, 0)
		d.Pay(sec, "k", 100, 0)
	}, Figures{Created: 1, Replayed: 2, OtherBody: 1, Stopped: Payments{Count: 2}}},
	{"another amount in the key", "scope=client_id,idem_key,amount,fingerprint=none", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Pay(sec, "k", 200, 0)
		d.Pay(2*sec, "k", 100, 0)
		d.Pay(3*sec, "k", 200, 0)
	}, Figures{Created: 2, Replayed: 2, Extra: Payments{Count: 1}, ExtraOther: Payments{Count: 1}, Stopped: Payments{Count: 2}}},
	{"two clients under one global key", "scope=idem_key", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 0)
		d.Pay(sec, "k", 100, 0).ClientID = "other"
		d.Pay(2*sec, "k", 7, 0).ClientID = "third"
	}, Figures{Created: 1, Replayed: 1, Mismatch: 1, HonestRefused: 2, Collisions: 2, Missing: Payments{Count: 2}}},
	{"a stored error bars the retry", "stored=all", func(d *daytest.Day) {
		d.Ask(0, "k", daytest.Order("a", "b", 100), 0).Status = 503
		d.Pay(sec, "k", 100, 0)
	}, Figures{Refused: 1, Replayed: 1, Missing: Payments{Count: 1}}},
	{"an error that is not stored does not", "stored=not_5xx", func(d *daytest.Day) {
		d.Ask(0, "k", daytest.Order("a", "b", 100), 0).Status = 503
		d.Pay(sec, "k", 100, 0)
	}, Figures{Refused: 1, Created: 1}},
	{"a proxy's second transfer", "stored=all", func(d *daytest.Day) {
		daytest.Moved(d.Pay(0, "k", 100, 0), 100)
	}, Figures{Created: 1, Stopped: Payments{Count: 1}}},
	{"a retry in flight", "on_in_flight=429", func(d *daytest.Day) {
		d.Pay(0, "k", 100, 2*sec)
		d.Pay(sec, "k", 100, 0)
	}, Figures{Created: 1, InFlight: 1, Stopped: Payments{Count: 1}}},
	{"rows without a key are nobody's duplicates", "stored=all", func(d *daytest.Day) {
		d.Pay(0, "", 100, 0)
		d.Pay(0, " ", 100, 0)
	}, Figures{Refused: 2}},
}

func TestFigures(t *testing.T) {
	for _, tt := range figured {
		t.Run(tt.name, func(t *testing.T) {
			d := daytest.New()
			tt.build(d)
			got := compare(t, d, with(t, tt.policy)).Lines[0].Figures
			for _, p := range []*Payments{&got.Extra, &got.ExtraOther, &got.Stopped, &got.Missing, &got.Unfenced} {
				p.ByCurrency = analysis.Money{}
			}
			got.Transferred = analysis.Money{}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// anyCase draws a policy.
func anyCase(t *rapid.T) Case {
	all := append([]Case{Default()}, Presets()...)
	c := rapid.SampledFrom(all).Draw(t, "case")
	c.Policy.Retention = rapid.SampledFrom([]time.Duration{time.Minute, 25 * time.Hour, engine.Forever}).Draw(t, "retention")
	c.Policy.Fingerprint = rapid.SampledFrom([]engine.FingerprintRule{engine.RuleNone, engine.RuleCanonical, engine.RuleRaw, engine.RuleRequest}).Draw(t, "fingerprint")
	c.Policy.Stored = rapid.SampledFrom([]engine.StoredReplies{engine.StoreAll, engine.StoreSuccess, engine.StoreNot5xx}).Draw(t, "stored")
	return c
}

// On any day the lean store decides as a full one, and the payments add up.
func TestAnyDayAgreesWithAFullStore(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d, c := daytest.Any(rt), anyCase(rt)
		f := compare(t, d, c).Lines[0].Figures
		opening, err := replay.Open(ctx, d)
		if err != nil {
			rt.Fatal(err)
		}
		full := memstore.New()
		course, err := replay.NewCourse(ctx, opening, full, c.Policy, replay.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		stream := replay.Read(ctx, d, c.Policy)
		defer stream.Close()
		for r, ok, _ := stream.Peek(0); ok; r, ok, _ = stream.Peek(0) {
			next, _, _ := stream.Peek(1)
			if _, err := course.Send(ctx, r, next); err != nil {
				rt.Fatal(err)
			}
			stream.Drop()
		}
		sums, _ := course.Sums()
		want := []int64{sums.Created, sums.Replayed, sums.InFlight, sums.Mismatch, sums.Refused, sums.ExpiredReruns, sums.Transferred.Of("KRW")}
		got := []int64{f.Created, f.Replayed, f.InFlight, f.Mismatch, f.Refused, f.ExpiredReruns, f.Transferred.Of("KRW")}
		if !slices.Equal(got, want) {
			rt.Errorf("figures %v, a full store says %v", got, want)
		}
	})
}

// What v1 moved under usable keys is paired with a transfer, stopped or missing.
func TestPaymentsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d, c := daytest.Any(rt), anyCase(rt)
		out := compare(t, d, c)
		f := out.Lines[0].Figures
		var unpaid int64 // created though v1 moved nothing
		for _, r := range d.Sent {
			if len(r.Transfers) == 0 {
				unpaid++
			}
		}
		made := out.V1.Count - f.Stopped.Count - f.Missing.Count
		if made > f.Created || made < f.Created-unpaid {
			rt.Errorf("%d of v1's transfers are made, %d requests created something, %d rows moved nothing: %+v", made, f.Created, unpaid, f)
		}
		if f.Stopped.Count < 0 || f.Extra.Count > f.Created || f.HonestRefused != f.Collisions+f.RetriesRefused {
			rt.Errorf("impossible figures %+v", f)
		}
		if f.Created-f.Extra.Count > out.Keys {
			rt.Errorf("%d first transfers for %d keys", f.Created-f.Extra.Count, out.Keys)
		}
	})
}

// How the work is divided does not show.
func TestDivisionDoesNotShow(t *testing.T) {
	in := lab(t, fixtures.Options{Seed: 5, Requests: 3000, Keys: 2000, Accounts: 9})
	cases := append([]Case{Default()}, Presets()...)
	whole := compare(t, in, cases...)
	var steps []int64
	parts, err := Compare(ctx, in, cases, Options{Memory: 1, Progress: func(done, total int64) {
		if total != 3000*int64(len(cases)) {
			t.Errorf("progress of %d", total)
		}
		steps = append(steps, done)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(whole, parts) {
		t.Errorf("one pass a policy gives\n%+v\nall at once\n%+v", parts, whole)
	}
	if !slices.IsSorted(steps) || steps[len(steps)-1] != 3000*int64(len(cases)) {
		t.Errorf("progress ends at %v", steps[len(steps)-1])
	}
}

func TestRetentionWarning(t *testing.T) {
	d := daytest.New()
	d.Pay(0, "k", 1, 0)
	d.Pay(time.Hour, "k", 1, 0)
	c := compare(t, d, with(t, "retention_hours=1"), with(t, "retention_hours=1.0000001"), with(t, "retention_hours=forever"))
	if c.LongestGap != time.Hour || !c.Lines[0].RetentionTooShort || c.Lines[1].RetentionTooShort || c.Lines[2].RetentionTooShort {
		t.Errorf("gap %v, warnings %v %v %v", c.LongestGap, c.Lines[0].RetentionTooShort, c.Lines[1].RetentionTooShort, c.Lines[2].RetentionTooShort)
	}
}

func TestCompareStops(t *testing.T) {
	in := lab(t, fixtures.Options{Seed: 5, Requests: 5000, Keys: 5000, Accounts: 9})
	stopped, cancel := context.WithCancel(ctx)
	_, err := Compare(stopped, in, []Case{Default(), Default()}, Options{Progress: func(int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a comparison that is cancelled gives %v", err)
	}
	bad := Default()
	bad.Policy.Lease = bad.Policy.Retention
	if _, err := Compare(ctx, in, []Case{bad}, Options{}); !errors.Is(err, engine.ErrPolicy) {
		t.Errorf("a policy that cannot be gives %v", err)
	}
}

func TestPresetsAreWhole(t *testing.T) {
	for _, c := range Presets() {
		if err := c.Policy.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if c.Source == "" || c.Note == "" {
			t.Errorf("%s has no source or no note", c.Name)
		}
	}
}

func TestParseChanges(t *testing.T) {
	p, err := ParseChanges("scope=client_id,idem_key, retention_hours=24,stored=2xx", engine.DefaultPolicy())
	if err != nil || len(p.Scope) != 2 || p.Retention != 24*time.Hour || p.Stored != engine.StoreSuccess {
		t.Errorf("changes give %+v (%v)", p, err)
	}
	for _, bad := range []string{"", "24", "nothing=1", "retention_hours=soon", "retention_hours=0.001"} {
		if _, err := ParseChanges(bad, engine.DefaultPolicy()); !errors.Is(err, engine.ErrPolicy) {
			t.Errorf("%q gives %v", bad, err)
		}
	}
}

// What was taken back is no payment that a policy could stop.
func TestNegativeAmountsAreNeverStopped(t *testing.T) {
	d := daytest.New()
	body := daytest.Order("a", "b", 100)
	daytest.Moved(d.Pay(0, "k", 100, 0), -100)
	daytest.Moved(d.Ask(time.Second, "k", body, 0), -30)
	daytest.Moved(d.Ask(time.Minute, "other", body, 0), -70)
	c := compare(t, d, Default())
	f := c.Lines[0].Figures
	if f.Stopped.Count != 0 || f.Missing.Count != 0 || c.V1.Count != 1 || c.V1.ByCurrency.Of("KRW") != 100 || c.V1Extra.Count != 0 {
		t.Errorf("the day is %+v, and the default policy comes to %+v", c, f)
	}
}
