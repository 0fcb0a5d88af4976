package engine

import "time"

// State says how far the request that holds a key has come.
type State uint8

const (
	// InProgress: claimed; its effect has not happened.
	InProgress State = iota + 1
	// Completed: the effect, if any, and the reply were committed together.
	Completed
)

// String gives the state as it is stored and shown.
func (s State) String() string {
	switch s {
	case InProgress:
		return "in_progress"
	case Completed:
		return "completed"
	}
	return "unknown"
}

// ParseState is the inverse of [State.String]; ok is false for any other text.
func ParseState(text string) (s State, ok bool) {
	switch text {
	case "in_progress":
		return InProgress, true
	case "completed":
		return Completed, true
	}
	return 0, false
}

// Fence is a fencing token: each claim and each takeover gets one that was never
// given out before in this store, not even to a record that has been purged.
// A completion must show the token its claim got. Zero is no token.
type Fence int64

// Record is what a store keeps of a key.
type Record struct {
	Key         ScopedKey
	State       State
	Fingerprint Fingerprint
	// Life is the fence token of the fresh claim that began this life of the
	// key. It stays through takeovers; effects are unique per life.
	Life Fence
	// Fence is the token of the present claim.
	Fence Fence
	// Attempt counts the claims of this life, from 1. It is for people; the
	// fence is what the code relies on.
	Attempt int
	// ClaimedAt is when this life began: retention counts from here, and a
	// takeover does not move it.
	ClaimedAt time.Time
	// LeaseUntil is when the present claim may be taken over.
	LeaseUntil time.Time
	// CompletedAt is the zero time while in progress.
	CompletedAt time.Time
	// Reply is the stored result; the zero Reply while in progress.
	Reply Reply
}

// Lapsed reports whether the record is a claim whose lease has run out at now.
// The lease is a half-open interval: at LeaseUntil itself it has lapsed.
func (r *Record) Lapsed(now time.Time) bool {
	return r.State == InProgress && !now.Before(r.LeaseUntil)
}

// Reply is the result of a request as it was, or will be, sent to the client.
type Reply struct {
	Status int    // HTTP status code
	Reason string // machine-readable reason of a refusal; "" for none
	Header []Field
	Body   []byte // byte for byte; nil for none
	// NotKept is true when the body was too large to keep: it was sent once
	// and cannot be replayed.
	NotKept bool
}

// Field is one header line of a stored reply.
type Field struct{ Name, Value string }
