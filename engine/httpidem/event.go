package httpidem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"idem/engine"
)

// Outcome says what the layer did with a request, in a word for logs and metrics.
type Outcome string

// The outcomes. Each request has exactly one.
const (
	Executed    Outcome = "executed"    // the handler ran and its reply was committed
	Replayed    Outcome = "replayed"    // a stored reply was sent again
	NotKept     Outcome = "not_kept"    // completed before, the reply is not there any more
	InFlight    Outcome = "in_flight"   // the first request still runs
	Mismatch    Outcome = "mismatch"    // another request under a used key
	Lost        Outcome = "lost"        // the handler ran longer than its claim was its own
	Refused     Outcome = "refused"     // no credential, no key or no body that could be used
	Unavailable Outcome = "unavailable" // the store failed; no reply was recorded
	Passed      Outcome = "passed"      // a method that takes no key
)

// Outcomes are all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Executed, Replayed, NotKept, InFlight, Mismatch, Lost, Refused, Unavailable, Passed}
}

// Event is what an observer is told about a request, once, after its reply was
// written. It holds what must not go into a log as it is: the whole key and the
// body. [Event.ShortKey] and [Event.ClientHash] are for logs.
type Event struct {
	// Request is as far as it was read: no client on a 401, no body where the
	// layer did not come to it. The body may be kept, not changed.
	Request  engine.Request
	Received time.Time
	Duration time.Duration
	Status   int
	Outcome  Outcome
	// Claimed: the key was this request's; the handler ran, or was about to.
	Claimed bool
	// Attempt counts the claims of this life of the key; 0 without a record.
	Attempt int
	// Takeover: this run took over a claim whose lease had ended.
	Takeover bool
	// ExpiredRerun: this run is under a key that was used before and whose
	// retention is over. It is told apart from a first run.
	ExpiredRerun bool
	// Body is the body of the reply of an Executed request; may be kept, not changed.
	Body []byte
	// Err is the store's error, or a [*PanicError].
	Err error
}

// Path is the path of the request, escaped: it holds nothing that could break a
// line of a log.
func (e *Event) Path() string {
	_, path, _ := strings.Cut(e.Request.Endpoint, " ")
	return path
}

// ShortKey is the key's beginning.
func (e *Event) ShortKey() string {
	const shown = 8
	if len(e.Request.Key) <= shown {
		return e.Request.Key
	}
	return e.Request.Key[:shown] + "..."
}

// ClientHash is the first 8 bytes of the SHA-256 of the client id, in hex; ""
// for none.
func (e *Event) ClientHash() string {
	if e.Request.ClientID == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(e.Request.ClientID))
	return hex.EncodeToString(sum[:8])
}

// Observer is told every event. It runs on the goroutine that answered and must be
// quick and safe for concurrent use.
type Observer func(ctx context.Context, e Event)

// PanicError is a panic of a handler or of what it registered with [OnComplete].
type PanicError struct {
	Value any
	Stack []byte
}

// Error gives the panic's value.
func (e *PanicError) Error() string { return fmt.Sprintf("handler panicked: %v", e.Value) }

// Unwrap gives the panic's value where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
