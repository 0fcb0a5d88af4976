package engine_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/engine"
)

var claimed = time.Date(2026, 3, 2, 9, 0, 0, 5, time.UTC)

const (
	lease     = 30 * time.Second
	retention = 72 * time.Hour
)

// claimOf is a claim with a body after a time.
func claimOf(t testing.TB, body string, after time.Duration) engine.Claim {
	t.Helper()
	r := engine.Request{ClientID: "shop", Endpoint: "POST /v1/transfers", Key: "k", Body: []byte(body)}
	c, err := engine.DefaultPolicy().Claim(r, claimed.Add(after))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// running and finished are the records that a claim of `{"a":1}` leads to.
func running(t testing.TB) engine.Record {
	v, err := engine.Decide(nil, claimOf(t, `{"a":1}`, 0), 7, engine.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	return v.Record
}

func finished(t testing.TB) engine.Record {
	done := engine.Completion{Fence: 7, Now: claimed.Add(time.Second)}
	r, _ := engine.Settle(running(t), done, engine.Reply{Status: 201}, engine.DefaultPolicy())
	return r
}

func TestDecideAtEachBoundary(t *testing.T) {
	const same, other = `{ "a": 1.0 }`, `{"a":2}`
	states := []struct {
		name   string
		record engine.Record
	}{{"running", running(t)}, {"finished", finished(t)}}
	type want struct {
		outcome engine.Outcome
		attempt int
		expired bool
	}
	cases := []struct {
		state int
		body  string
		after time.Duration
		want  want
	}{
		{0, same, 0, want{engine.InFlight, 1, false}},
		{0, same, lease - 1, want{engine.InFlight, 1, false}},
		{0, same, lease, want{engine.Fresh, 2, false}},
		{0, same, lease + 1, want{engine.Fresh, 2, false}},
		{0, same, retention - 1, want{engine.Fresh, 2, false}},
		{0, same, retention, want{engine.Fresh, 1, true}},
		{0, same, retention + 1, want{engine.Fresh, 1, true}},
		{0, other, 0, want{engine.Mismatch, 1, false}},
		{0, other, lease - 1, want{engine.Mismatch, 1, false}},
		{0, other, lease, want{engine.Mismatch, 1, false}},
		{0, other, lease + 1, want{engine.Mismatch, 1, false}},
		{0, other, retention - 1, want{engine.Mismatch, 1, false}},
		{0, other, retention, want{engine.Fresh, 1, true}},
		{1, same, 0, want{engine.Replay, 1, false}},
		{1, same, lease, want{engine.Replay, 1, false}},
		{1, same, retention - 1, want{engine.Replay, 1, false}},
		{1, same, retention, want{engine.Fresh, 1, true}},
		{1, same, retention + 1, want{engine.Fresh, 1, true}},
		{1, other, retention - 1, want{engine.Mismatch, 1, false}},
		{1, other, retention, want{engine.Fresh, 1, true}},
	}
	for _, c := range cases {
		existing := states[c.state].record
		v, err := engine.Decide(&existing, claimOf(t, c.body, c.after), 8, engine.DefaultPolicy())
		if got := (want{v.Outcome, v.Record.Attempt, v.Expired}); err != nil || got != c.want {
			t.Errorf("%s, %s after %v: %+v, %v; want %+v", states[c.state].name, c.body, c.after, got, err, c.want)
		}
		if !reflect.DeepEqual(existing, states[c.state].record) {
			t.Errorf("%s, %s after %v: the existing record was changed", states[c.state].name, c.body, c.after)
		}
	}
}

func TestDecideForever(t *testing.T) {
	p := engine.DefaultPolicy()
	p.Retention = engine.Forever
	done := finished(t)
	if v, err := engine.Decide(&done, claimOf(t, `{"a":1}`, 100*365*24*time.Hour), 8, p); err != nil || v.Outcome != engine.Replay {
		t.Errorf("a hundred years later: %v, %v", v.Outcome, err)
	}
	if _, ok := p.PurgeCutoff(claimed); ok {
		t.Error("what is kept forever has a purge cutoff")
	}
}

func TestDecideUnderAnotherRule(t *testing.T) {
	p := engine.DefaultPolicy()
	p.Fingerprint = engine.RuleRaw
	done := finished(t) // under RuleCanonical
	r := engine.Request{Key: "k", Body: []byte(`{ "a": 1 }`)}
	c, err := p.Claim(r, claimed)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := engine.Decide(&done, c, 8, p); err != nil || v.Outcome != engine.Replay {
		t.Errorf("compared under the record's rule: %v, %v", v.Outcome, err)
	}
	c.Under = nil
	if v, err := engine.Decide(&done, c, 8, p); err != nil || v.Outcome != engine.Mismatch {
		t.Errorf("with no other fingerprint to be had: %v, %v", v.Outcome, err)
	}
	// A body that the record's rule cannot read is another request: the record's
	// own could be read.
	other, err := p.Claim(engine.Request{Key: "k", Body: []byte("no JSON")}, claimed)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := engine.Decide(&done, other, 8, p); err != nil || v.Outcome != engine.Mismatch || !v.Different {
		t.Errorf("a body that the record's rule cannot read: %v, %v", v.Outcome, err)
	}
	broken := errors.New("broken")
	c.Under = func(engine.FingerprintRule) (engine.Fingerprint, error) { return engine.Fingerprint{}, broken }
	if _, err := engine.Decide(&done, c, 8, p); !errors.Is(err, broken) {
		t.Errorf("a fingerprint that fails: %v", err)
	}
}

func TestHoldsAtEachBoundary(t *testing.T) {
	live := running(t)
	done := finished(t)
	long := live
	long.LeaseUntil = claimed.Add(retention + 10)
	none := live
	none.Fence = 0
	cases := []struct {
		name   string
		record *engine.Record
		fence  engine.Fence
		after  time.Duration
		want   bool
	}{
		{"no record", nil, 7, 0, false},
		{"the claim", &live, 7, 0, true},
		{"another token", &live, 8, 0, false},
		{"no token", &none, 0, 0, false},
		{"completed", &done, 7, 0, false},
		{"lease - 1ns", &live, 7, lease - 1, true},
		{"lease", &live, 7, lease, true},
		{"lease + 1ns", &live, 7, lease + 1, true},
		{"retention - 1ns", &live, 7, retention - 1, true},
		{"retention", &live, 7, retention, false},
		{"retention + 1ns", &live, 7, retention + 1, false},
		{"past retention under a live lease", &long, 7, retention + 9, true},
		{"past retention at the lease's end", &long, 7, retention + 10, false},
	}
	for _, c := range cases {
		if got := engine.Holds(c.record, engine.Completion{Fence: c.fence, Now: claimed.Add(c.after)}, engine.DefaultPolicy()); got != c.want {
			t.Errorf("%s: holds %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSettle(t *testing.T) {
	for stored, want := range map[engine.StoredReplies]map[int]engine.Settlement{
		engine.StoreAll:     {199: engine.Kept, 200: engine.Kept, 299: engine.Kept, 300: engine.Kept, 499: engine.Kept, 500: engine.Kept},
		engine.StoreNot5xx:  {199: engine.Kept, 200: engine.Kept, 299: engine.Kept, 300: engine.Kept, 499: engine.Kept, 500: engine.Released},
		engine.StoreSuccess: {199: engine.Released, 200: engine.Kept, 299: engine.Kept, 300: engine.Released, 499: engine.Released, 500: engine.Released},
	} {
		p := engine.DefaultPolicy()
		p.Stored = stored
		for status, want := range want {
			r, got := engine.Settle(running(t), engine.Completion{Fence: 7, Now: claimed.Add(1)}, engine.Reply{Status: status}, p)
			if got != want || (got == engine.Kept) != (r.State == engine.Completed && r.CompletedAt.Equal(claimed.Add(1)) && r.Reply.Status == status) {
				t.Errorf("%s %d: %v %+v, want %v", stored, status, got, r, want)
			}
		}
	}
}

func TestPurgeableAtEachBoundary(t *testing.T) {
	live, done := running(t), finished(t)
	cases := []struct {
		name        string
		record      engine.Record
		cutoff, now time.Duration
		want        bool
	}{
		{"completed, cutoff - 1ns", done, -1, 0, false},
		{"completed, cutoff", done, 0, 0, false},
		{"completed, cutoff + 1ns", done, 1, 0, true},
		{"claim, lease - 1ns", live, 1, lease - 1, false},
		{"claim, lease", live, 1, lease, true},
		{"claim, lease + 1ns", live, 1, lease + 1, true},
		{"lapsed, cutoff", live, 0, lease, false},
		{"live, however old", live, retention, 0, false},
	}
	for _, c := range cases {
		if got := engine.Purgeable(&c.record, claimed.Add(c.cutoff), claimed.Add(c.now)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPurgeCutoff: a purge at the policy's cutoff takes exactly what is expired.
func TestPurgeCutoff(t *testing.T) {
	p, done := engine.DefaultPolicy(), finished(t)
	for _, after := range []time.Duration{retention - 1, retention, retention + 1} {
		now := claimed.Add(after)
		cutoff, ok := p.PurgeCutoff(now)
		if got := engine.Purgeable(&done, cutoff, now); !ok || got != p.Expired(&done, now) {
			t.Errorf("%v after the claim: purgeable %v, expired %v", after, got, p.Expired(&done, now))
		}
	}
}

// spec is the table of the rules for claims, in the smallest words: which
// outcome follows from these five facts.
func spec(exists, expired, same, completed, lapsed, replays bool) engine.Outcome {
	switch {
	case !exists || expired:
		return engine.Fresh
	case !same && !replays:
		return engine.Mismatch
	case completed:
		return engine.Replay
	case lapsed && same:
		return engine.Fresh
	}
	return engine.InFlight
}

// TestDecideAgainstSpec draws records, claims and policies whose times lie on
// and around each other's boundaries.
func TestDecideAgainstSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Int64Range(-3, 12)
		p := engine.DefaultPolicy()
		p.Lease = time.Duration(rapid.Int64Range(1, 4).Draw(t, "lease"))
		p.Retention = time.Duration(rapid.Int64Range(5, 8).Draw(t, "retention"))
		if rapid.Bool().Draw(t, "forever") {
			p.Retention = engine.Forever
		}
		if rapid.Bool().Draw(t, "replays") {
			p.OnMismatch = engine.MismatchReplays
		}
		var existing *engine.Record
		if rapid.Bool().Draw(t, "exists") {
			existing = drawRecord(t)
		}
		now := small.Draw(t, "now")
		c := engine.Claim{Fingerprint: drawFingerprint(t), Now: claimed.Add(time.Duration(now)), Lease: p.Lease}
		v, err := engine.Decide(existing, c, 99, p)
		if err != nil {
			t.Fatal(err)
		}
		checkVerdict(t, existing, c, p, v)
	})
}

func drawFingerprint(t *rapid.T) engine.Fingerprint {
	return engine.Fingerprint{1, byte(rapid.IntRange(0, 1).Draw(t, "fingerprint"))}
}

func drawRecord(t *rapid.T) *engine.Record {
	r := &engine.Record{
		State: engine.InProgress, Fingerprint: drawFingerprint(t), Life: 3, Fence: 5,
		Attempt:   rapid.IntRange(1, 3).Draw(t, "attempt"),
		ClaimedAt: claimed, LeaseUntil: claimed.Add(time.Duration(rapid.Int64Range(1, 9).Draw(t, "leaseUntil"))),
	}
	if rapid.Bool().Draw(t, "completed") {
		r.State, r.CompletedAt, r.Reply = engine.Completed, claimed.Add(1), engine.Reply{Status: 201}
	}
	return r
}

func checkVerdict(t *rapid.T, existing *engine.Record, c engine.Claim, p engine.Policy, v engine.Verdict) {
	var old engine.Record
	exists := existing != nil
	if exists {
		old = *existing
	}
	expired := exists && p.Retention != engine.Forever && c.Now.Sub(old.ClaimedAt) >= p.Retention
	same := old.Fingerprint == c.Fingerprint
	lapsed := c.Now.Sub(old.LeaseUntil) >= 0
	want := spec(exists, expired, same, old.State == engine.Completed, lapsed, p.OnMismatch == engine.MismatchReplays)
	if v.Outcome != want || v.Expired != expired || v.Different != (exists && !expired && !same) {
		t.Fatalf("%+v, want %v", v, want)
	}
	next := old
	switch {
	case want != engine.Fresh: // found untouched
	case exists && !expired:
		next.Fence, next.Attempt, next.LeaseUntil = 99, old.Attempt+1, c.Now.Add(c.Lease)
	default:
		next = engine.Record{
			State: engine.InProgress, Fingerprint: c.Fingerprint, Life: 99, Fence: 99, Attempt: 1,
			ClaimedAt: c.Now, LeaseUntil: c.Now.Add(c.Lease),
		}
	}
	if !reflect.DeepEqual(v.Record, next) || v.Before != existing || v.Takeover() != (v.Record.Attempt > 1 && want == engine.Fresh) {
		t.Fatalf("record %+v, want %+v", v.Record, next)
	}
}

// TestPurgeIsInvisible: with or without the record that a purge may take, every
// claim and completion has the same answer.
func TestPurgeIsInvisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := engine.DefaultPolicy()
		p.Lease, p.Retention = 2, 6
		r := drawRecord(t)
		now := claimed.Add(time.Duration(rapid.Int64Range(0, 12).Draw(t, "now")))
		cutoff, _ := p.PurgeCutoff(now)
		if !engine.Purgeable(r, cutoff, now) {
			t.Skip("not purgeable")
		}
		later := now.Add(time.Duration(rapid.Int64Range(0, 3).Draw(t, "later")))
		c := engine.Claim{Fingerprint: drawFingerprint(t), Now: later, Lease: p.Lease}
		kept, err := engine.Decide(r, c, 99, p)
		gone, err2 := engine.Decide(nil, c, 99, p)
		if err != nil || err2 != nil || kept.Outcome != gone.Outcome || !reflect.DeepEqual(kept.Record, gone.Record) {
			t.Fatalf("unpurged %+v, purged %+v", kept, gone)
		}
		if engine.Holds(r, engine.Completion{Fence: r.Fence, Now: later}, p) {
			t.Fatal("a claim that a purge may have taken still holds")
		}
	})
}

func TestNames(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"fresh": engine.Fresh, "replay": engine.Replay, "in_flight": engine.InFlight, "mismatch": engine.Mismatch, "unknown": engine.Outcome(0),
		"kept": engine.Kept, "released": engine.Released, "lost": engine.Lost,
		"in_progress": engine.InProgress, "completed": engine.Completed,
	} {
		if got.String() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, s := range []engine.State{engine.InProgress, engine.Completed} {
		if back, ok := engine.ParseState(s.String()); !ok || back != s {
			t.Errorf("%v is read as %v", s, back)
		}
	}
	if s, ok := engine.ParseState("done"); ok || s.String() != "unknown" || engine.Settlement(0).String() != "unknown" {
		t.Errorf("a state that is none is read as %v", s)
	}
}
