package replay

import (
	"time"

	"idem/analysis"
	"idem/engine"
)

// Class is what became of a request. At the end of the day each row of the log
// is in exactly one of the classes from Created on.
type Class uint8

const (
	// Running: claimed, its effect and record still to come.
	Running Class = iota
	// Created: fresh and executed; money moved.
	Created
	// Replayed: a stored result was sent again.
	Replayed
	// InFlight: 409, the first request still ran.
	InFlight
	// Mismatch: 422, another request under the same key.
	Mismatch
	// Refused: everything else: the ledger's refusals, errors that the log
	// shows, rows without a key or that cannot be used.
	Refused
)

// Classes in the order in which they are shown.
var Classes = []Class{Created, Replayed, InFlight, Mismatch, Refused}

// String is the class in words, as screens and reports name it.
func (c Class) String() string {
	return [...]string{"running", "created", "replayed", "409 in flight", "422 mismatch", "refused"}[c]
}

// Reasons of refusals that the replay itself makes.
const (
	ReasonNoKey       = "no_key"
	ReasonUnusable    = "unusable_row"
	ReasonLoggedError = "logged_error" // the log says the original answered an error and moved nothing
	ReasonClaimLost   = engine.ReasonClaimLost
	ReasonCrashed     = "crashed" // the worker died with its claim; the client got no answer, so there is no status
)

// Step is what one request of the day became, as seen from a position.
type Step struct {
	N     int64     // position, 1..Total
	Seq   int64     // req_log.seq
	At    time.Time // the replay's clock when the request arrived
	Class Class     // as of the position it is looked at from: Running until Done
	// Status and Reason are the answer's; 0 and "" while Running.
	Status int
	Reason string
	// Holder is the position whose claim decided the outcome: N itself for a
	// fresh claim, the first request for its retries, 0 where no key was looked at.
	Holder  int64
	Life    engine.Fence // of the record that decided; 0 where none did
	Fence   engine.Fence
	Attempt int
	Expired bool // a fresh run under a key that had expired
	// Done is the position at the end of which the request's completion had been
	// applied, DoneAt the time of its effect; 0 while it runs, or made no claim.
	Done   int64
	DoneAt time.Time
	// Moved is what the engine moved for this request; 0 for nothing.
	Moved    int64
	Currency string
	// V1Count and V1Moved are what the unprotected service moved for it, one
	// currency only (the first's); details are in the request's Transfers.
	V1Count    int64
	V1Moved    int64
	V1Currency string
	// Stopped is the part of V1Moved that is a duplicate which the engine did not make.
	Stopped int64
	// Twin is what the engine answered the twin that an injected race sent at the
	// same instant; Running where none was sent.
	Twin Class
	// Src and Dst are the balances after the step of the accounts in the request's body.
	Src, Dst Balances

	// Broken: an invariant has broken by this step, see [Player.Breach]. Only the
	// step that has just been sent says so.
	Broken bool

	prior int64 // position whose record a fresh claim replaced; 0 for none
	extra bool  // some of its v1 transfers are duplicates
}

// Balances of one account after a step: the engine's ledger beside the
// unprotected one. Known is false when the account does not exist.
type Balances struct {
	Account    string
	Known      bool
	Engine, V1 int64
}

// Detail is a step with all that a screen shows of it.
type Detail struct {
	Step
	Request     analysis.Request
	Fingerprint string         // of the request under the policy; "" when it has none
	Before      *engine.Record // the key's record before the step; nil when absent
	After       *engine.Record // and after it
	Reply       engine.Reply   // what the client got; zero while Running
	HolderSeq   int64          // seq of the request at Holder
}

// Counters are the sums over the steps up to a position.
type Counters struct {
	Tally
	Transferred analysis.Money `json:",omitzero"` // by the engine
	V1Total     analysis.Money `json:",omitzero"` // by the unprotected service, for the rows so far
	Reconciliation
}

// Tally are the counters that are numbers of things.
type Tally struct {
	Requests int64 `json:",omitempty"`

	// The classes; they sum to Requests, and at the end of the day none is Running.
	Created  int64 `json:",omitempty"`
	Replayed int64 `json:",omitempty"`
	InFlight int64 `json:",omitempty"`
	Mismatch int64 `json:",omitempty"`
	Refused  int64 `json:",omitempty"`
	Running  int64 `json:",omitempty"`

	// Parts of Refused.
	Keyless      int64 `json:",omitempty"`
	Unusable     int64 `json:",omitempty"`
	LoggedErrors int64 `json:",omitempty"` // errors that the log shows
	LostClaims   int64 `json:",omitempty"`
	Crashed      int64 `json:",omitempty"` // of injected crashes only

	ExpiredReruns   int64 `json:",omitempty"` // fresh runs under an expired key
	Takeovers       int64 `json:",omitempty"`
	ClockBack       int64 `json:",omitempty"` // rows whose time lies before that of a row before them
	UnreadableTimes int64 `json:",omitempty"`

	Transfers   int64 `json:",omitempty"` // made by the engine
	V1Transfers int64 `json:",omitempty"` // of the rows so far
}

// Rejected is the number of 409 and 422 answers.
func (c *Counters) Rejected() int64 { return c.InFlight + c.Mismatch }

// Reconciliation takes V1Total - Transferred apart, by currency:
// Stopped + Refused + Unusable + Unmatched + AmountDiffers + TakenBack - OnlyReplay.
// Only Stopped is money that the engine stopped, and it is never negative.
type Reconciliation struct {
	Stopped       analysis.Money `json:",omitzero"` // duplicates under a key whose first request moved money
	RefusedV1     analysis.Money `json:",omitzero"` // v1 moved it, the replay's ledger (or its logged error) refused
	UnusableV1    analysis.Money `json:",omitzero"` // of rows without a key or that cannot be used
	Unmatched     analysis.Money `json:",omitzero"` // v1 transfers without a request; known at the end only
	AmountDiffers analysis.Money `json:",omitzero"` // v1 moved another amount than the request's body says
	TakenBack     analysis.Money `json:",omitzero"` // negative v1 amounts under such a key: taken back, not paid twice
	OnlyReplay    analysis.Money `json:",omitzero"` // the replay moved it, v1 did not
}

// Result is the whole replayed day.
type Result struct {
	Counters
	Policy      engine.Policy
	Total       int64         // rows of req_log
	LongestGap  time.Duration // between two sends of one key
	First, Last time.Time     // of the replay's clock; zero for an empty day
	Injected    Options       // what was done to the day
}

// RetentionTooShort reports whether a key is forgotten before its last retry came.
func (r *Result) RetentionTooShort() bool {
	return r.Policy.Retention != engine.Forever && r.LongestGap >= r.Policy.Retention
}
