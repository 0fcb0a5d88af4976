package httpidem

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"idem/engine"

	"github.com/go-json-experiment/json"
)

// Problem is an error reply: application/problem+json (RFC 9457) that begins
// with the members error (for machines) and detail (for people).
type Problem struct {
	Status int
	Code   string
	Detail string
}

// The layer's own answers. None of them is the result of a key, except the last
// two, which stand for what a handler failed to answer.
var (
	keyMissing   = Problem{400, "idempotency_key_missing", "send an Idempotency-Key header with this method"}
	keyEmpty     = Problem{400, "idempotency_key_empty", "Idempotency-Key is empty"}
	keyTooLong   = Problem{400, "idempotency_key_too_long", "Idempotency-Key is longer than 255 bytes"}
	keyMalformed = Problem{400, "idempotency_key_malformed", `Idempotency-Key must be visible ASCII, bare or as a quoted string with only \" and \\ escaped`}
	keyRepeated  = Problem{400, "idempotency_key_repeated", "Idempotency-Key was sent more than once"}
	bodyInvalid  = Problem{400, "invalid_body", "the body is not unambiguous JSON"}
	bodyCutShort = Problem{400, "incomplete_body", "the body ended before it was complete"}
	unauthorized = Problem{401, "unauthorized", "send exactly one Authorization header: Bearer <credential>"}
	denied       = Problem{401, "unauthorized", "the credential is not known"}
	bodyTooSlow  = Problem{408, "body_timeout", "the body did not arrive in time"}
	inProgress   = Problem{409, engine.ReasonInProgress, "a request with this Idempotency-Key is still running"}
	claimLost    = Problem{409, engine.ReasonClaimLost, "the request ran longer than its lease; nothing of it was stored"}
	notKept      = Problem{409, "result_not_kept", "the request was completed, but its reply was too large to keep and cannot be sent again"}
	bodyTooLarge = Problem{413, "body_too_large", "the body is larger than this server accepts"}
	keyReused    = Problem{422, engine.ReasonKeyReused, ""}
	bodyConsumed = Problem{500, "body_consumed", "the body was read before the idempotency layer could see it"}
	unavailable  = Problem{503, "store_unavailable", "the request was not run or not recorded; send it again with the same key"}

	handlerFailed = Problem{500, "internal_error", "the request failed; nothing of it was kept but this answer"}
	replyTooLarge = Problem{500, "reply_too_large", "the reply was too large to send; nothing of the request was kept but this answer"}
)

// as is the problem under the status that a policy gives it.
func (p Problem) as(status int) Problem {
	p.Status = status
	return p
}

// Write sends the problem, uncacheable.
func (p Problem) Write(w http.ResponseWriter) {
	body := p.body()
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	// The client may be gone; there is nobody left to tell.
	_, _ = w.Write(body)
}

func (p Problem) body() []byte {
	body, err := json.Marshal(struct {
		Error  string `json:"error"`
		Detail string `json:"detail"`
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
	}{p.Code, p.Detail, "about:blank", http.StatusText(p.Status), p.Status})
	if err != nil {
		// Only invalid UTF-8 could do this.
		panic("httpidem: problem does not marshal: " + err.Error())
	}
	return body
}

// reusedDetail names the key and the first 8 bytes of both fingerprints.
func reusedDetail(key string, stored, got engine.Fingerprint) string {
	return fmt.Sprintf("Idempotency-Key %q was already used for a different request (fingerprint %s, got %s)",
		key, stored.Short(), got.Short())
}

// retryAfter is a wait in whole seconds, rounded up, from 1 to 30.
func retryAfter(left time.Duration) string {
	seconds := int(math.Ceil(left.Seconds()))
	return strconv.Itoa(min(max(seconds, 1), 30))
}
