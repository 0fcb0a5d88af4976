package payments

import (
	"fmt"
	"strings"
	"time"

	"idem/engine/httpidem"

	"github.com/go-json-experiment/json"
)

// Intent is a payment that a payer was asked for. Its JSON is what clients see.
type Intent struct {
	ID         string `json:"id"`
	State      string `json:"state"`   // StateCreated or StateCanceled
	Version    int    `json:"version"` // of the intent, 1 when created
	Amount     string `json:"amount"`  // decimal integer in the token's smallest unit, as the client wrote it
	Chain      string `json:"chain"`
	Token      string `json:"token"`
	Payer      string `json:"payer"`
	Merchant   string `json:"merchant"`
	CreatedAt  string `json:"created_at"` // RFC 3339, UTC, as all times here
	ExpiresAt  string `json:"expires_at"`
	CanceledAt string `json:"canceled_at,omitzero"`
	CanceledBy string `json:"canceled_by,omitzero"`
}

// States of an intent.
const (
	StateCreated  = "created"
	StateCanceled = "canceled"
)

// canceledBySystem stands where nobody asked for the cancellation.
const canceledBySystem = "system"

// document is an intent as it is stored: with its owner.
type document struct {
	Client string `json:"client"`
	Intent Intent `json:"intent"`
}

const documentKind = "payment_intent"

// at is the intent as it stands at an instant. An intent is open for the
// half-open interval that ends at its expiry; then the system cancels it, at
// that very instant, whoever notices it and when.
func (i Intent) at(now time.Time) (Intent, error) {
	expires, err := time.Parse(time.RFC3339Nano, i.ExpiresAt)
	if err != nil {
		return Intent{}, fmt.Errorf("intent %s: expiry: %w", i.ID, err)
	}
	if i.State != StateCreated || now.Before(expires) {
		return i, nil
	}
	i.State = StateCanceled
	i.Version++
	i.CanceledAt, i.CanceledBy = i.ExpiresAt, canceledBySystem
	return i, nil
}

// Bounds of an intent's members.
const (
	maxText       = 255                 // bytes of an opaque member
	maxDigits     = 78                  // of an amount: as many as 2^256 has
	defaultExpiry = 15 * time.Minute    // without expires_in_seconds
	maxExpiry     = 30 * 24 * time.Hour // the longest that can be asked for
)

// intentRequest is the body that creates an intent. Names are matched as they
// are written, so that this handler sees what a fingerprint of the body saw:
// "AMOUNT" is not "amount".
type intentRequest struct {
	Chain            string `json:"chain"`
	Token            string `json:"token"`
	Payer            string `json:"payer"`
	Merchant         string `json:"merchant"`
	Amount           string `json:"amount"`
	ExpiresInSeconds *int64 `json:"expires_in_seconds"`
}

// parseIntent reads the body strictly: duplicate names, invalid UTF-8 and data
// after the object are refused. Members it does not know are ignored.
func parseIntent(body []byte) (intentRequest, *httpidem.Problem) {
	var req intentRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return intentRequest{}, badRequest("invalid_body", "the body must be one JSON object with the members of an intent: "+reason(err))
	}
	for _, member := range []struct{ name, value string }{
		{"chain", req.Chain}, {"token", req.Token}, {"payer", req.Payer}, {"merchant", req.Merchant},
	} {
		if member.value == "" || len(member.value) > maxText {
			return intentRequest{}, badRequest("invalid_"+member.name, fmt.Sprintf("%s must be a string of 1 to %d bytes", member.name, maxText))
		}
	}
	if !isAmount(req.Amount) {
		return intentRequest{}, badRequest("invalid_amount", fmt.Sprintf("amount must be a string of 1 to %d decimal digits, above 0, without a leading 0", maxDigits))
	}
	if s := req.ExpiresInSeconds; s != nil && (*s < 1 || *s > int64(maxExpiry/time.Second)) {
		return intentRequest{}, badRequest("invalid_expires_in_seconds", fmt.Sprintf("expires_in_seconds must be an integer from 1 to %d", maxExpiry/time.Second))
	}
	return req, nil
}

func badRequest(code, detail string) *httpidem.Problem {
	return &httpidem.Problem{Status: 400, Code: code, Detail: detail}
}

// reason is a decoder's error without its package's name.
func reason(err error) string {
	text := err.Error()
	for _, prefix := range []string{"json: ", "jsontext: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return strings.ToValidUTF8(text, "?")
}

func isAmount(text string) bool {
	return text != "" && len(text) <= maxDigits && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

// expiry is how long the intent is open.
func (r *intentRequest) expiry() time.Duration {
	if r.ExpiresInSeconds == nil {
		return defaultExpiry
	}
	return time.Duration(*r.ExpiresInSeconds) * time.Second
}
