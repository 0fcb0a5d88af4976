package engine

import (
	"errors"
	"fmt"
	"time"
)

// Outcome is what the engine answers to a claim.
type Outcome uint8

const (
	// Fresh: the caller holds the key and must run the request, then complete it.
	Fresh Outcome = iota + 1
	// Replay: the request was completed before; its stored reply is the answer.
	Replay
	// InFlight: the same request is still running under a live lease.
	InFlight
	// Mismatch: the key was used for a different request.
	Mismatch
)

// String gives the outcome's name for logs and screens.
func (o Outcome) String() string {
	switch o {
	case Fresh:
		return "fresh"
	case Replay:
		return "replay"
	case InFlight:
		return "in_flight"
	case Mismatch:
		return "mismatch"
	}
	return "unknown"
}

// Reasons of the answers that the engine itself gives.
const (
	ReasonInProgress = "in_progress"
	ReasonKeyReused  = "idempotency_key_reused"
	ReasonClaimLost  = "claim_lost"
)

// Claim asks for a key at an instant.
type Claim struct {
	Key         ScopedKey
	Fingerprint Fingerprint
	// Under computes the fingerprint of the same request under another rule, for
	// records that an earlier version or policy wrote. A body that this rule
	// cannot read ([ErrAmbiguous]) is another request than the record's. May be
	// nil: then a record under another rule is a mismatch.
	Under func(FingerprintRule) (Fingerprint, error)
	Now   time.Time
	// Lease is how long the claim is protected from takeover.
	Lease time.Duration
}

// Verdict is the decision on a claim.
type Verdict struct {
	Outcome Outcome
	// Record is the record as it stands now: for Fresh the new claim, else the
	// one that was found, untouched.
	Record Record
	// Before is the record the decision was made on; nil when the key was absent.
	Before *Record
	// Expired is true when Before was past its retention and therefore counted
	// as absent: a run under a key that was used before.
	Expired bool
	// Different is true when the fingerprints differ, also where the policy
	// answers that with the first result.
	Different bool
}

// Takeover reports whether the verdict hands a lapsed claim to a new worker.
func (v *Verdict) Takeover() bool { return v.Outcome == Fresh && v.Record.Attempt > 1 }

// Decide is the rule for claims. existing is the record found under the claim's
// key, nil when there is none; fence is a token that was never given out, used
// only when the outcome is Fresh. The order of the questions is the contract:
//
//   - past retention (now >= claimed + retention): absent, whatever its state;
//   - another fingerprint: Mismatch, also while the first one runs, because
//     waiting cannot help, and also when its lease has lapsed;
//   - completed: Replay;
//   - in progress, lease live (now < lease end): InFlight;
//   - in progress, lapsed: Fresh, one attempt more, claimed when it was.
func Decide(existing *Record, c Claim, fence Fence, p Policy) (Verdict, error) {
	if existing == nil {
		return Verdict{Outcome: Fresh, Record: fresh(c, fence)}, nil
	}
	v := Verdict{Record: *existing, Before: existing}
	if p.Expired(existing, c.Now) {
		v.Outcome, v.Expired, v.Record = Fresh, true, fresh(c, fence)
		return v, nil
	}
	same, err := sameRequest(existing.Fingerprint, c)
	if err != nil {
		return Verdict{}, err
	}
	v.Different = !same
	switch {
	case !same && p.OnMismatch != MismatchReplays:
		v.Outcome = Mismatch
	case existing.State == Completed:
		v.Outcome = Replay
	case !same || !existing.Lapsed(c.Now):
		v.Outcome = InFlight
	default:
		v.Outcome, v.Record = Fresh, takeover(*existing, c, fence)
	}
	return v, nil
}

func sameRequest(stored Fingerprint, c Claim) (bool, error) {
	if stored.Rule() == c.Fingerprint.Rule() || c.Under == nil {
		return stored == c.Fingerprint, nil
	}
	again, err := c.Under(stored.Rule())
	if errors.Is(err, ErrAmbiguous) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("fingerprint under the stored record's rule: %w", err)
	}
	return stored == again, nil
}

func fresh(c Claim, fence Fence) Record {
	return Record{
		Key: c.Key, State: InProgress, Fingerprint: c.Fingerprint,
		Life: fence, Fence: fence, Attempt: 1,
		ClaimedAt: c.Now, LeaseUntil: c.Now.Add(c.Lease),
	}
}

func takeover(r Record, c Claim, fence Fence) Record {
	r.Fence = fence
	r.Attempt++
	r.LeaseUntil = c.Now.Add(c.Lease)
	return r
}

// Completion is the end of a claim: what the worker shows to be allowed to write.
type Completion struct {
	Key   ScopedKey
	Fence Fence
	Now   time.Time
}

// Settlement is the decision on a completion.
type Settlement uint8

const (
	// Kept: the reply was stored; retries replay it.
	Kept Settlement = iota + 1
	// Released: the policy does not store such a reply; the record is gone and
	// the next request under this key is new.
	Released
	// Lost: the claim is no longer the caller's (taken over, purged, completed
	// before). Nothing was written.
	Lost
)

// String gives the settlement's name for logs and tests.
func (s Settlement) String() string {
	switch s {
	case Kept:
		return "kept"
	case Released:
		return "released"
	case Lost:
		return "lost"
	}
	return "unknown"
}

// Holds reports whether a completion may write: its token is that of the claim
// in progress. A lapsed lease alone does not bar it, as nobody took over; but a
// claim that a purge may already have removed does not hold, so that the answer
// never depends on whether the purge has run.
func Holds(existing *Record, c Completion, p Policy) bool {
	return existing != nil && existing.State == InProgress && existing.Fence == c.Fence && c.Fence != 0 &&
		!(existing.Lapsed(c.Now) && p.Expired(existing, c.Now))
}

// Settle is the rule for completions that [Holds]: the record to store, or
// Released when the policy does not store such a reply.
func Settle(existing Record, c Completion, reply Reply, p Policy) (Record, Settlement) {
	if !p.Stores(reply.Status) {
		return Record{}, Released
	}
	existing.State = Completed
	existing.CompletedAt = c.Now
	existing.Reply = reply
	return existing, Kept
}

// Purgeable reports whether a purge of what was claimed before cutoff, at now,
// may delete the record: completed ones and lapsed claims, never a live claim.
func Purgeable(r *Record, cutoff, now time.Time) bool {
	return r.ClaimedAt.Before(cutoff) && (r.State == Completed || r.Lapsed(now))
}
