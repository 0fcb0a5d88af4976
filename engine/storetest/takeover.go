package storetest

import (
	"testing"
	"time"

	"idem/engine"
)

// testTakeover proves that a lapsed claim goes to one new worker, and that the
// old one can no longer write, whatever happened in between.
func testTakeover(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"takes the claim over":           takeoverKeepsLife,
		"the old worker writes nothing":  takeoverOldWorker,
		"a late completion, nobody came": takeoverLate,
		"a purge, then the old token":    takeoverPurged,
		"expiry, then the old token":     takeoverExpired,
		"the token is never used again":  takeoverFences,
	})
}

func takeoverKeepsLife(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	v := b.claim(key("k"), bodyA, start.Add(b.policy.Lease))
	want := first
	want.Fence, want.Attempt = v.Record.Fence, 2
	want.LeaseUntil = start.Add(2 * b.policy.Lease)
	if !v.Takeover() || v.Record.Fence <= first.Fence || recordText(&v.Record, same) != recordText(&want, same) {
		b.Errorf("takeover gives %+v, want %+v", v.Record, want)
	}
	// The new lease counts from the takeover.
	if v := b.claim(key("k"), bodyA, start.Add(2*b.policy.Lease-1)); v.Outcome != engine.InFlight {
		b.Errorf("a retry under the second lease is %v", v.Outcome)
	}
	if v := b.claim(key("k"), bodyA, start.Add(2*b.policy.Lease)); v.Outcome != engine.Fresh || v.Record.Attempt != 3 {
		b.Errorf("the second takeover is %v, attempt %d", v.Outcome, v.Record.Attempt)
	}
}

func same(f engine.Fence) engine.Fence { return f }

func takeoverOldWorker(b *bundle) {
	old := b.fresh(key("k"), bodyA, start)
	next := b.fresh(key("k"), bodyA, start.Add(b.policy.Lease))
	lost := func(when string) {
		b.unchanged("the old worker "+when, func() {
			if _, settled := b.complete(old, start.Add(b.policy.Lease+1), b.forbidden); settled != engine.Lost {
				b.Errorf("the old worker %s is %v, want lost", when, settled)
			}
		})
	}
	lost("while the new one runs")
	b.keep(next, start.Add(b.policy.Lease+2), b.pays("T-new", 10))
	lost("after the new one completed")
	if v := b.claim(key("k"), bodyA, start.Add(b.policy.Lease+3)); string(v.Record.Reply.Body) != "T-new" {
		b.Errorf("replayed %q, want the new worker's", v.Record.Reply.Body)
	}
}

func takeoverLate(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	b.keep(first, start.Add(b.policy.Lease+time.Hour), b.pays("T1", 10))
	if v := b.claim(key("k"), bodyA, start.Add(b.policy.Lease+2*time.Hour)); v.Outcome != engine.Replay {
		b.Errorf("a retry after a late completion is %v", v.Outcome)
	}
}

func takeoverPurged(b *bundle) {
	old := b.fresh(key("k"), bodyA, start)
	later := start.Add(b.policy.Lease)
	if n := b.purge(later, later, 10); n != 1 {
		b.Fatalf("purged %d, want the lapsed claim", n)
	}
	b.unchanged("the purged claim's worker", func() {
		if _, settled := b.complete(old, later, b.forbidden); settled != engine.Lost {
			b.Errorf("it is %v, want lost", settled)
		}
	})
	// The key lives again; the old token must not fit its new claim.
	next := b.fresh(key("k"), bodyA, later)
	if next.Attempt != 1 || next.Fence == old.Fence || next.Life == old.Life {
		b.Errorf("the new life is %+v, the old was %+v", next, old)
	}
	b.unchanged("the old life's token", func() {
		if _, settled := b.complete(old, later, b.forbidden); settled != engine.Lost {
			b.Errorf("it is %v, want lost", settled)
		}
	})
	b.keep(next, later, b.pays("T2", 10))
}

func takeoverExpired(b *bundle) {
	old := b.fresh(key("k"), bodyA, start)
	v := b.claim(key("k"), bodyB, start.Add(b.policy.Retention))
	if v.Outcome != engine.Fresh || !v.Expired || v.Takeover() || v.Record.Life == old.Life {
		b.Errorf("a claim at the end of retention is %+v", v)
	}
	if _, settled := b.complete(old, start.Add(b.policy.Retention), b.forbidden); settled != engine.Lost {
		b.Errorf("the expired life's token is %v, want lost", settled)
	}
	b.keep(v.Record, start.Add(b.policy.Retention+1), b.pays("T2", 10))
}

func takeoverFences(b *bundle) {
	seen := map[engine.Fence]bool{}
	now := start
	for range 20 {
		now = now.Add(b.policy.Lease)
		r := b.fresh(key("k"), bodyA, now)
		if seen[r.Fence] {
			b.Fatalf("fence %d given out twice", r.Fence)
		}
		seen[r.Fence] = true
		if len(seen)%3 == 0 {
			now = now.Add(b.policy.Lease)
			b.purge(now, now, 10)
		}
	}
}
