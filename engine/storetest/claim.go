package storetest

import (
	"context"
	"reflect"
	"testing"
	"time"

	"idem/engine"
)

const (
	bodyA = `{"amount": 1000}`
	bodyB = `{"amount": 2000}`
)

// testClaim proves each outcome at each boundary, and that only Fresh writes.
func testClaim(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"the boundaries of lease and retention": claimBoundaries,
		"a fresh record is the committed one":   claimFresh,
		"a loser writes nothing":                claimLosers,
		"another rule's record":                 claimUnderRule,
	})
	t.Run("scopes are apart", func(t *testing.T) { claimScopes(newBundle(t, f)) })
}

func claimBoundaries(b *bundle) {
	lease, retention := b.policy.Lease, b.policy.Retention
	cases := []struct {
		name      string
		completed bool
		body      string
		after     time.Duration
		want      engine.Outcome
		attempt   int
	}{
		{"running, same", false, bodyA, 0, engine.InFlight, 1},
		{"running, before its time", false, bodyA, -time.Hour, engine.InFlight, 1},
		{"running, lease - 1ns", false, bodyA, lease - 1, engine.InFlight, 1},
		{"running, lease", false, bodyA, lease, engine.Fresh, 2},
		{"running, lease + 1ns", false, bodyA, lease + 1, engine.Fresh, 2},
		{"running, other body", false, bodyB, 0, engine.Mismatch, 1},
		{"lapsed, other body", false, bodyB, lease, engine.Mismatch, 1},
		{"lapsed, retention - 1ns", false, bodyA, retention - 1, engine.Fresh, 2},
		{"lapsed, retention", false, bodyA, retention, engine.Fresh, 1},
		{"lapsed, other body, retention", false, bodyB, retention, engine.Fresh, 1},
		{"completed, same", true, bodyA, 0, engine.Replay, 1},
		{"completed, lease over", true, bodyA, lease, engine.Replay, 1},
		{"completed, other body", true, bodyB, lease, engine.Mismatch, 1},
		{"completed, retention - 1ns", true, bodyA, retention - 1, engine.Replay, 1},
		{"completed, other body, retention - 1ns", true, bodyB, retention - 1, engine.Mismatch, 1},
		{"completed, retention", true, bodyA, retention, engine.Fresh, 1},
		{"completed, retention + 1ns", true, bodyA, retention + 1, engine.Fresh, 1},
		{"completed, other body, retention", true, bodyB, retention, engine.Fresh, 1},
	}
	for _, c := range cases {
		k := key(c.name)
		first := b.fresh(k, bodyA, start)
		if c.completed {
			first = b.keep(first, start.Add(1), replies(engine.Reply{Status: 201, Body: []byte("first")}))
		}
		v := b.claim(k, c.body, start.Add(c.after))
		if v.Outcome != c.want || v.Record.Attempt != c.attempt {
			b.Errorf("%s: %v attempt %d, want %v attempt %d", c.name, v.Outcome, v.Record.Attempt, c.want, c.attempt)
		}
		if v.Before == nil || !reflect.DeepEqual(*v.Before, first) {
			b.Errorf("%s: decided on %+v, want %+v", c.name, v.Before, first)
		}
		if got := b.record(k); got == nil || !reflect.DeepEqual(*got, v.Record) {
			b.Errorf("%s: stored %+v, told %+v", c.name, got, v.Record)
		}
		if v.Outcome == engine.Fresh && v.Record.Fence <= first.Fence {
			b.Errorf("%s: fence %d after %d", c.name, v.Record.Fence, first.Fence)
		}
	}
}

func claimFresh(b *bundle) {
	zone := time.FixedZone("KST", 9*3600)
	c := b.request(key("k"), bodyA, start.In(zone))
	v, err := b.store.Claim(context.Background(), c, b.policy)
	if err != nil {
		b.Fatal(err)
	}
	want := engine.Record{
		Key: key("k"), State: engine.InProgress, Fingerprint: c.Fingerprint,
		Life: v.Record.Fence, Fence: v.Record.Fence, Attempt: 1,
		ClaimedAt: start, LeaseUntil: start.Add(b.policy.Lease),
	}
	if v.Outcome != engine.Fresh || v.Before != nil || v.Expired || v.Record.Fence == 0 || !reflect.DeepEqual(v.Record, want) {
		b.Errorf("fresh verdict %+v, want record %+v", v, want)
	}
	if got := b.record(key("k")); got == nil || !reflect.DeepEqual(*got, want) {
		b.Errorf("stored %+v, want %+v", got, want)
	}
}

func claimLosers(b *bundle) {
	b.fresh(key("running"), bodyA, start)
	b.keep(b.fresh(key("done"), bodyA, start), start, b.pays("T1", 10))
	for _, k := range []engine.ScopedKey{key("running"), key("done")} {
		for _, body := range []string{bodyA, bodyB} {
			b.unchanged("a claim that lost", func() {
				if v := b.claim(k, body, at(time.Second)); v.Outcome == engine.Fresh {
					b.Errorf("%s with %s is fresh", k.Key, body)
				}
			})
		}
	}
	one := b.fresh(key("next"), bodyA, start)
	if two := b.fresh(key("after"), bodyA, start); two.Fence == one.Fence {
		b.Errorf("fence %d given out twice", one.Fence)
	}
}

func claimUnderRule(b *bundle) {
	b.policy.Fingerprint = engine.RuleRaw
	b.keep(b.fresh(key("k"), bodyA, start), start, replies(engine.Reply{Status: 201}))
	b.policy.Fingerprint = engine.RuleCanonical
	if v := b.claim(key("k"), bodyA, at(time.Second)); v.Outcome != engine.Replay {
		b.Errorf("a retry after the rule changed is %v, want replay", v.Outcome)
	}
	if v := b.claim(key("k"), bodyB, at(time.Second)); v.Outcome != engine.Mismatch {
		b.Errorf("another body after the rule changed is %v, want mismatch", v.Outcome)
	}
	b.policy.OnMismatch = engine.MismatchReplays
	if v := b.claim(key("k"), bodyB, at(time.Second)); v.Outcome != engine.Replay || !v.Different {
		b.Errorf("another body where the policy replays is %v, different %v", v.Outcome, v.Different)
	}
}

func claimScopes(b *bundle) {
	keys := []engine.ScopedKey{
		{ClientID: "a:b", Key: "c"}, {ClientID: "a", Key: "b:c"}, {ClientID: "a:b:c"}, {Key: "a:b:c"},
		{ClientID: "a", Endpoint: "b", Key: "c"}, {ClientID: "ab", Key: "c"}, {ClientID: "a", Endpoint: "bc"},
		{ClientID: "a:b", Endpoint: "x", Key: "c"}, {ClientID: "a", Endpoint: "b:x", Key: "c"}, {ClientID: "a", Endpoint: "b", Key: "x:c"},
		{ClientID: "A", Key: "c"}, {ClientID: "a", Key: "c"}, {ClientID: "a", Key: "c "},
		{ClientID: "\uac00", Key: "c"}, {ClientID: "\u1100\u1161", Key: "c"}, {ClientID: "\"a\"", Key: "c"}, {ClientID: "1", Key: "1"}, {ClientID: "01", Key: "1.0"},
	}
	for i, k := range keys {
		b.keep(b.fresh(k, bodyA, start), start, replies(engine.Reply{Status: 200 + i}))
	}
	for i, k := range keys {
		if v := b.claim(k, bodyA, start); v.Outcome != engine.Replay || v.Record.Reply.Status != 200+i {
			b.Errorf("%q replays %d, want %d", k, v.Record.Reply.Status, 200+i)
		}
	}
}
