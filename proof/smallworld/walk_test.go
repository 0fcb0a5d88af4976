package smallworld

import (
	"strings"
	"testing"
	"time"

	"idem/engine"
)

// TestEveryInterleaving walks through the whole world under the engine's rules.
func TestEveryInterleaving(t *testing.T) {
	r := Walk(Engine())
	t.Log(r)
	if r.Broken != "" {
		t.Fatal(r)
	}
	if r.States < 100_000 {
		t.Errorf("only %d states: the world has become too small", r.States)
	}
	for _, told := range []string{
		"it has the key", "it takes the key over", "its claim stays behind", "its money moves", "it has lost its claim",
		"it is answered replay", "it is answered in_flight", "it is answered mismatch", "the key is purged", "the key is spared",
	} {
		if r.Counts[told] < 1000 {
			t.Errorf("%q happened %d times: the walk does not come to it", told, r.Counts[told])
		}
	}
}

// faults are wrong versions of the protocol, each with what it breaks first.
var faults = map[string]struct {
	seed   func(*Rules)
	broken string
	within int // steps of the shortest way
}{
	"no fence": {func(r *Rules) {
		r.Holds = func(existing *engine.Record, c engine.Completion, p engine.Policy) bool {
			if existing != nil {
				c.Fence = existing.Fence
			}
			return engine.Holds(existing, c, p)
		}
	}, "a stale token moves money", 5},
	"the fence restarts after a purge": {func(r *Rules) {
		r.Next = func(_ engine.Fence, existing *engine.Record) engine.Fence {
			if existing == nil {
				return 1
			}
			return existing.Fence + 1
		}
	}, "one life of the key pays 2 times", 5},
	"> for >= at the lease's end": {func(r *Rules) {
		r.Decide = func(existing *engine.Record, c engine.Claim, fence engine.Fence, p engine.Policy) (engine.Verdict, error) {
			return engine.Decide(leasedUntil(existing, 1), c, fence, p)
		}
	}, "409 is answered while nothing like it runs", 4},
	"> for >= at the retention's end": {func(r *Rules) {
		r.Decide = func(existing *engine.Record, c engine.Claim, fence engine.Fence, p engine.Policy) (engine.Verdict, error) {
			p.Retention++
			return engine.Decide(existing, c, fence, p)
		}
	}, "422 is answered to a request that is no other", 5},
	"a purge takes live claims": {func(r *Rules) {
		r.Purgeable = func(r *engine.Record, cutoff, _ time.Time) bool { return r.ClaimedAt.Before(cutoff) }
	}, "a live claim is lost", 3},
	"a completion does not look at the state": {func(r *Rules) {
		r.Holds = func(existing *engine.Record, c engine.Completion, _ engine.Policy) bool {
			return existing != nil && existing.Fence == c.Fence
		}
	}, "one life of the key pays 2 times", 3},
	"a takeover before the lease's end": {func(r *Rules) {
		r.Decide = func(existing *engine.Record, c engine.Claim, fence engine.Fence, p engine.Policy) (engine.Verdict, error) {
			return engine.Decide(leasedUntil(existing, -time.Second), c, fence, p)
		}
	}, "a key is given out that is held", 3},
	"a completed key is not compared": {func(r *Rules) {
		r.Decide = func(existing *engine.Record, c engine.Claim, fence engine.Fence, p engine.Policy) (engine.Verdict, error) {
			if existing != nil {
				c.Fingerprint = existing.Fingerprint
			}
			return engine.Decide(existing, c, fence, p)
		}
	}, "409 is answered while nothing like it runs", 2},
	"look first, insert later": {func(r *Rules) {
		r.Decide = func(existing *engine.Record, c engine.Claim, fence engine.Fence, p engine.Policy) (engine.Verdict, error) {
			if existing != nil && existing.State == engine.InProgress {
				existing = nil // the look was before the claim
			}
			return engine.Decide(existing, c, fence, p)
		}
	}, "a key is given out that is held", 2},
}

// TestSeededFaults: each fault of the protocol breaks an invariant, by the
// shortest way there is.
func TestSeededFaults(t *testing.T) {
	for name, c := range faults {
		t.Run(name, func(t *testing.T) {
			rules := Engine()
			c.seed(&rules)
			r := Walk(rules)
			t.Log(r)
			if !strings.Contains(r.Broken, c.broken) || len(r.Trace) != c.within {
				t.Errorf("the fault breaks %q in %d steps, want %q in %d", r.Broken, len(r.Trace), c.broken, c.within)
			}
		})
	}
}

// leasedUntil is the record with another end of its lease.
func leasedUntil(r *engine.Record, later time.Duration) *engine.Record {
	if r == nil {
		return nil
	}
	moved := *r
	moved.LeaseUntil = r.LeaseUntil.Add(later)
	return &moved
}
