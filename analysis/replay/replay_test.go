package replay

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"idem/engine"
)

const (
	sec = time.Second
	hr  = time.Hour
)

func TestClassesOfADay(t *testing.T) {
	body := payment("a", "b", 100)
	moved := func(d *day, at time.Duration, key string, ms int) { d.pay(at, key, body, ms, 100) }
	tests := []struct {
		name  string
		build func(*day)
		want  []string
	}{
		{"plain retry", func(d *day) { moved(d, 0, "k", 100); moved(d, sec, "k", 100) }, []string{"created", "replayed"}},
		{"retry one tick before the end", func(d *day) { moved(d, 0, "k", 1000); moved(d, sec-1, "k", 0) }, []string{"created", "409 in flight"}},
		{"retry at the end", func(d *day) { moved(d, 0, "k", 1000); moved(d, sec, "k", 0) }, []string{"created", "replayed"}},
		{"retry one tick after the end", func(d *day) { moved(d, 0, "k", 1000); moved(d, sec+1, "k", 0) }, []string{"created", "replayed"}},
		{"worker longer than its lease renews it", func(d *day) { moved(d, 0, "k", 60_000); moved(d, 45*sec, "k", 0) }, []string{"created", "409 in flight"}},
		{"changed amount while it runs", func(d *day) { moved(d, 0, "k", 1000); d.pay(1, "k", payment("a", "b", 200), 0, 200) }, []string{"created", "422 mismatch"}},
		{"reordered members", func(d *day) {
			moved(d, 0, "k", 0)
			d.pay(1, "k", ` {"currency":"KRW", "amount":100.0,"dst":"b","src":"\u0061"}`, 0, 100)
		}, []string{"created", "replayed"}},
		{"same body, other key", func(d *day) { moved(d, 0, "k", 0); moved(d, 1, "l", 0) }, []string{"created", "created"}},
		{"one tick before retention", func(d *day) { moved(d, 0, "k", 0); moved(d, 72*hr-1, "k", 0) }, []string{"created", "replayed"}},
		{"at retention", func(d *day) { moved(d, 0, "k", 0); moved(d, 72*hr, "k", 0) }, []string{"created", "created"}},
		{"keyless and blank", func(d *day) {
			d.moved(d.ask(0, nil, body, 0).seq, 100)
			d.ask(0, "", body, 0)
			d.ask(0, "  ", body, 0)
		}, []string{"refused no_key", "refused no_key", "refused no_key"}},
		{"no JSON", func(d *day) {
			d.pay(0, "k", `{"amount":`, 0, 100)
			d.pay(0, "k", `[1]`, 0, 100)
			d.pay(0, "k", `{}`, 0, 100)
		}, []string{"refused unusable_row", "refused unusable_row", "refused unusable_row"}},
		{"ambiguous body", func(d *day) { d.pay(0, "k", `{"amount":1,"amount":2}`, 0, 1) }, []string{"refused unusable_row"}},
		{"not enough money, stored", func(d *day) {
			d.pay(0, "k", payment("a", "b", 1_000_001), 0, 1_000_001)
			d.pay(1, "k", payment("a", "b", 1_000_001), 0, 1_000_001)
		}, []string{"refused insufficient_funds", "replayed"}},
		{"unknown account", func(d *day) { d.pay(0, "k", payment("a", "z", 1), 0, 1) }, []string{"refused unknown_account"}},
		{"the log's error moved money that nobody can tell", func(d *day) {
			d.ask(0, "k", body, 0).status = 503
			d.moved(int64(1), 0)
			d.transfers[0].amount = "x"
		}, []string{"created"}},
		{"the log's error is the handler's", func(d *day) { d.ask(0, "k", body, 0).status = 503; moved(d, 1, "k", 0) }, []string{"refused logged_error", "replayed"}},
		{"a logged error that moved money executes", func(d *day) { d.pay(0, "k", body, 0, 100).status = 504 }, []string{"created"}},
		{"completions by time, then seq", func(d *day) {
			// b pays back what it got first: only in the order of their ends can both run.
			d.ask(0, "k1", payment("b", "a", 600_000), 2000)
			d.ask(1, "k2", payment("a", "b", 600_000), 1000)
		}, []string{"created", "created"}},
		{"negative duration is none", func(d *day) { moved(d, 0, "k", -5); moved(d, 0, "k", 0) }, []string{"created", "replayed"}},
		{"absurd duration is none", func(d *day) { d.pay(0, "k", body, 1<<50, 100); moved(d, 1, "k", 0) }, []string{"created", "replayed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &day{accounts: map[string]int64{"a": 1_000_000, "b": 0}}
			tt.build(d)
			p := d.play(t, engine.DefaultPolicy())
			p.through(t)
			if got := p.classes(t); !slices.Equal(got, tt.want) {
				t.Errorf("classes %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReconciliation(t *testing.T) {
	body := payment("a", "b", 100)
	big := payment("a", "b", 5_000_000)
	tests := []struct {
		name  string
		build func(*day)
		want  Reconciliation // KRW
	}{
		{"retry", func(d *day) { d.pay(0, "k", body, 0, 100); d.pay(1, "k", body, 0, 100) }, terms(func(r *termSums) { r.stopped = 100 })},
		{"retry in flight of a request that pays", func(d *day) { d.pay(0, "k", body, 1000, 100); d.pay(1, "k", body, 0, 100) }, terms(func(r *termSums) { r.stopped = 100 })},
		{"retry in flight of a request that is refused", func(d *day) {
			d.pay(0, "k", big, 1000, 5_000_000)
			d.pay(1, "k", big, 0, 5_000_000)
		}, terms(func(r *termSums) { r.refused = 10_000_000 })},
		{"retry of a refusal", func(d *day) { d.pay(0, "k", big, 0, 5_000_000); d.pay(1, "k", big, 0, 5_000_000) }, terms(func(r *termSums) { r.refused = 10_000_000 })},
		{"mismatch", func(d *day) { d.pay(0, "k", body, 0, 100); d.pay(1, "k", payment("a", "b", 7), 0, 7) }, terms(func(r *termSums) { r.stopped = 7 })},
		{"mismatch under a refusal", func(d *day) { d.pay(0, "k", big, 0, 5_000_000); d.pay(1, "k", body, 0, 100) }, terms(func(r *termSums) { r.refused = 5_000_100 })},
		{"one request moved twice", func(d *day) { d.pay(0, "k", body, 0, 100); d.moved(int64(1), 100) }, terms(func(r *termSums) { r.stopped = 100 })},
		{"v1 moved another amount", func(d *day) { d.pay(0, "k", body, 0, 130) }, terms(func(r *termSums) { r.differs = 30 })},
		{"v1 moved nothing", func(d *day) { d.ask(0, "k", body, 0) }, terms(func(r *termSums) { r.only = 100 })},
		{"no key", func(d *day) { d.moved(d.ask(0, nil, body, 0).seq, 100) }, terms(func(r *termSums) { r.unusable = 100 })},
		{"unusable row", func(d *day) { d.pay(0, "k", `x`, 0, 100) }, terms(func(r *termSums) { r.unusable = 100 })},
		{"unmatched", func(d *day) { d.pay(0, "k", body, 0, 100); d.moved(int64(99), 40); d.moved(nil, 2) }, terms(func(r *termSums) { r.unmatched = 42 })},
		{"expired and paid again", func(d *day) { d.pay(0, "k", body, 0, 100); d.pay(72*hr, "k", body, 0, 100) }, terms(func(*termSums) {})},
		{"taken back by a retry", func(d *day) { d.pay(0, "k", body, 0, 100); d.pay(1, "k", body, 0, -130) }, terms(func(r *termSums) { r.back = -130 })},
		{"paid and taken back by one request", func(d *day) {
			d.pay(0, "k", body, 0, 100)
			d.moved(int64(1), -100)
			d.moved(int64(1), 100)
		}, terms(func(r *termSums) { r.stopped, r.back = 100, -100 })},
		{"taken back while the first runs", func(d *day) { d.pay(0, "k", body, 1000, 100); d.pay(1, "k", body, 0, -7) }, terms(func(r *termSums) { r.back = -7 })},
		{"taken back under a refusal", func(d *day) { d.pay(0, "k", big, 0, 5_000_000); d.pay(1, "k", body, 0, -7) }, terms(func(r *termSums) { r.refused = 4_999_993 })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &day{accounts: map[string]int64{"a": 1_000_000, "b": 0}}
			tt.build(d)
			got := d.play(t, engine.DefaultPolicy()).through(t).Reconciliation
			a, b := (&Counters{Reconciliation: got}).moneys(), (&Counters{Reconciliation: tt.want}).moneys()
			for i := range a {
				if err := sameMoney("term", *a[i], *b[i]); err != nil {
					t.Errorf("term %d: %v", i, err)
				}
			}
		})
	}
}

type termSums struct{ stopped, refused, unusable, unmatched, differs, back, only int64 }

func terms(set func(*termSums)) (r Reconciliation) {
	var n termSums
	set(&n)
	r.Stopped.Add("KRW", n.stopped)
	r.RefusedV1.Add("KRW", n.refused)
	r.UnusableV1.Add("KRW", n.unusable)
	r.Unmatched.Add("KRW", n.unmatched)
	r.AmountDiffers.Add("KRW", n.differs)
	r.TakenBack.Add("KRW", n.back)
	r.OnlyReplay.Add("KRW", n.only)
	return r
}

func TestClockNeverGoesBack(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1_000_000, "b": 0}}
	body := payment("a", "b", 1)
	d.pay(0, "k1", body, 0, 1).at = "yesterday" // before any readable time: the first one
	d.pay(10*sec, "k2", body, 0, 1)
	d.pay(5*sec, "k3", body, 0, 1)
	d.pay(0, "k4", body, 0, 1).at = ""
	d.pay(11*sec, "k5", body, 0, 1)
	p := d.play(t, engine.DefaultPolicy())
	r := p.through(t)
	if r.ClockBack != 1 || r.UnreadableTimes != 2 {
		t.Errorf("clock went back %d times and %d were unreadable, want 1 and 2", r.ClockBack, r.UnreadableTimes)
	}
	steps, err := p.Steps(context.Background(), 1, 5, 5)
	if err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{10 * sec, 10 * sec, 10 * sec, 10 * sec, 11 * sec}
	for i, s := range steps {
		if !s.At.Equal(start.Add(want[i])) {
			t.Errorf("request %d at %v, want %v", i+1, s.At, start.Add(want[i]))
		}
	}
}

func TestStoredPolicyReleasesRefusals(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1_000_000, "b": 0}}
	d.ask(0, "k", payment("a", "b", 100), 0).status = 503
	d.pay(1, "k", payment("a", "b", 100), 0, 100)
	p := engine.DefaultPolicy()
	p.Stored = engine.StoreNot5xx
	player := d.play(t, p)
	player.through(t)
	if got, want := player.classes(t), []string{"refused logged_error", "created"}; !slices.Equal(got, want) {
		t.Errorf("classes %q, want %q", got, want)
	}
}

func TestDetailShowsTheRecordBeforeAndAfter(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1000, "b": 0}}
	body := payment("a", "b", 100)
	d.pay(0, "k", body, 1000, 100)
	d.pay(sec/2, "k", body, 0, 100)
	d.pay(2*sec, "k", body, 0, 100)
	p := d.play(t, engine.DefaultPolicy())
	p.through(t)
	ctx := context.Background()
	first, err := p.Detail(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if first.Class != Running || first.Before != nil || first.After == nil || first.After.State != engine.InProgress {
		t.Errorf("step 1 seen from 1: %v before %v after %+v, want running, absent, in progress", first.Class, first.Before, first.After)
	}
	second, _ := p.Detail(ctx, 2)
	if second.Class != InFlight || second.Before == nil || second.Before.State != engine.InProgress || second.HolderSeq != 1 {
		t.Errorf("step 2: %v before %+v held by %d, want 409 on a record in progress, held by 1", second.Class, second.Before, second.HolderSeq)
	}
	third, _ := p.Detail(ctx, 3)
	const reply = `{"transfer_id":"T1","src":"a","dst":"b","amount":100,"currency":"KRW","created_at":"2026-03-10T09:00:01Z"}`
	if third.Class != Replayed || string(third.Reply.Body) != reply {
		t.Errorf("step 3: %v with %s, want replayed with %s", third.Class, third.Reply.Body, reply)
	}
	if third.Src != (Balances{"a", true, 900, 700}) || third.Dst != (Balances{"b", true, 100, 300}) {
		t.Errorf("step 3: balances %+v %+v", third.Src, third.Dst)
	}
	var kept *engine.Record
	if err := p.store.View(ctx, func(tx engine.Tx) (err error) {
		kept, err = tx.Record(ctx, third.After.Key)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if kept == nil || string(kept.Reply.Body) != reply || kept.Fence != third.After.Fence || !kept.CompletedAt.Equal(third.After.CompletedAt) {
		t.Errorf("rebuilt record %+v is not the store's %+v", third.After, kept)
	}
}

// A retry that met its first request in flight is a duplicate as soon as that
// one has paid, also when both happen before the next request arrives.
func TestRetryInFlightIsMarkedAsADuplicate(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1000, "b": 0}}
	body := payment("a", "b", 100)
	d.pay(0, "k", body, 1000, 100)
	d.pay(sec/2, "k", body, 0, 100)
	d.pay(5*sec, "l", body, 0, 100)
	p := d.play(t, engine.DefaultPolicy())
	p.through(t)
	steps, err := p.Steps(context.Background(), 1, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	if steps[1].Class != InFlight || steps[1].Stopped != 100 {
		t.Errorf("the retry is %v and stopped %d, want 409 in flight and 100", steps[1].Class, steps[1].Stopped)
	}
}

func TestPeekSendsNothing(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1000, "b": 0}}
	d.pay(0, "k", payment("a", "b", 100), 0, 100)
	p := d.play(t, engine.DefaultPolicy())
	ctx := context.Background()
	for range 2 {
		if r, err := p.Peek(ctx); err != nil || r.Seq != 1 || len(r.Transfers) != 1 || p.Frontier() != 0 {
			t.Fatalf("the next request is %+v (%v) at %d", r, err, p.Frontier())
		}
	}
	p.through(t)
	if _, err := p.Peek(ctx); !errors.Is(err, ErrEnd) {
		t.Errorf("after the last request there is %v", err)
	}
}

func TestEndOfTheDay(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1}}
	p := d.play(t, engine.DefaultPolicy())
	if _, err := p.Next(context.Background()); !errors.Is(err, ErrEnd) {
		t.Errorf("an empty day gives %v, want ErrEnd", err)
	}
	p.through(t)
}

func TestRunStops(t *testing.T) {
	d := &day{accounts: map[string]int64{"a": 1_000_000, "b": 0}}
	for i := range 10 {
		d.pay(time.Duration(i)*sec, string(rune('a'+i%7)), payment("a", "b", 1), 0, 1)
	}
	p := d.play(t, engine.DefaultPolicy())
	ctx := context.Background()
	if err := p.RunTo(ctx, 10, func(s *Step) bool { return s.Class == Replayed }, nil); err != nil || p.Frontier() != 8 {
		t.Fatalf("stopped at %d (%v), want 8, the first replay", p.Frontier(), err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if err := p.RunTo(stopped, 10, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is cancelled gives %v", err)
	}
	if _, err := p.Result(ctx, nil); !errors.Is(err, ErrNotThrough) {
		t.Errorf("a result before the end gives %v", err)
	}
	p.through(t) // a cancelled run can go on
	for _, tt := range []struct {
		from int64
		dir  Direction
		want int64
	}{{0, Forward, 8}, {8, Forward, 9}, {10, Forward, 0}, {10, Backward, 9}, {8, Backward, 0}} {
		if n, err := p.Find(ctx, tt.from, tt.dir, Target{Duplicate: true}); n != tt.want || err != nil {
			t.Errorf("duplicate from %d in direction %d is %d (%v), want %d", tt.from, tt.dir, n, err, tt.want)
		}
	}
}
