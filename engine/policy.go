package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// ScopeField is a column of the scope.
type ScopeField string

// The columns a scope is made of, in their order.
const (
	ScopeClient   ScopeField = "client_id"
	ScopeEndpoint ScopeField = "endpoint"
	ScopeKey      ScopeField = "idem_key"
	// ScopeAmount is the amount in the body: a key sent again with another amount
	// is another key. Rapyd's payments are scoped so.
	ScopeAmount ScopeField = "amount"
)

// StoredReplies says which replies become the result of their key.
type StoredReplies string

const (
	// StoreAll: whatever the handler answered is the result of the key.
	StoreAll StoredReplies = "all"
	// StoreSuccess: only 2xx; after anything else the key is free again.
	StoreSuccess StoredReplies = "2xx"
	// StoreNot5xx: all but 5xx.
	StoreNot5xx StoredReplies = "not_5xx"
)

// MismatchAnswer is the status of the answer to a mismatch, or [MismatchReplays].
type MismatchAnswer int

// MismatchReplays answers another body with the first result, as some providers do.
const MismatchReplays MismatchAnswer = 0

// Forever is a retention without an end.
const Forever time.Duration = math.MaxInt64

// Policy is what a client may rely on. The zero Policy is not valid; start from
// [DefaultPolicy] or [HTTPPolicy]. [Knobs] describes each member.
type Policy struct {
	Scope       []ScopeField
	Retention   time.Duration // from the claim; Forever for no end
	Lease       time.Duration
	Fingerprint FingerprintRule
	Stored      StoredReplies
	OnMismatch  MismatchAnswer
	OnInFlight  int // HTTP status
}

// DefaultPolicy is the workbench's: scope of client, endpoint and key, canonical
// body, 72 hours.
func DefaultPolicy() Policy {
	return Policy{
		Scope:     []ScopeField{ScopeClient, ScopeEndpoint, ScopeKey},
		Retention: 72 * time.Hour, Lease: 30 * time.Second,
		Fingerprint: RuleCanonical, Stored: StoreAll,
		OnMismatch: 422, OnInFlight: 409,
	}
}

// HTTPPolicy is the payment API's: scope of credential and key; method, path,
// query and body bytes must be the same; 24 hours.
func HTTPPolicy() Policy {
	p := DefaultPolicy()
	p.Scope = []ScopeField{ScopeClient, ScopeKey}
	p.Retention = 24 * time.Hour
	p.Fingerprint = RuleRequest
	return p
}

// Expired reports whether a record counts as absent at now. Retention is a
// half-open interval from the claim: at its end the key is new.
func (p Policy) Expired(r *Record, now time.Time) bool {
	return p.Retention != Forever && !now.Before(r.ClaimedAt.Add(p.Retention))
}

// ErrScope: a store holds live keys that were claimed under another scope. Under
// the policy's they would all be new, and a retry of any would be paid again.
var ErrScope = errors.New("the store holds live keys of another scope")

// CheckScope returns ErrScope where a record that is live at now, nil for none,
// cannot have been claimed under the policy's scope: a column is filled that the
// scope leaves empty, or the other way round, or its key begins with no amount
// where the scope has one. That an amount has gone cannot be told, as a key's own
// text may begin like one.
func (p Policy) CheckScope(r *Record, now time.Time) error {
	if r == nil || p.Expired(r, now) {
		return nil
	}
	for _, column := range []struct {
		field  ScopeField
		differ bool
	}{
		{ScopeClient, (r.Key.ClientID != "") != slices.Contains(p.Scope, ScopeClient)},
		{ScopeEndpoint, (r.Key.Endpoint != "") != slices.Contains(p.Scope, ScopeEndpoint)},
		{ScopeAmount, p.ScopesAmount() && !beginsWithAmount(r.Key.Key)},
	} {
		if column.differ {
			return fmt.Errorf("%w: %s is part of one and not of the other; go on with the policy that they were claimed under, or change it when all of them have expired", ErrScope, column.field)
		}
	}
	return nil
}

// beginsWithAmount reports whether a key may have been scoped by an amount: what
// stands before the first blank is a canonical number, or nothing.
func beginsWithAmount(key string) bool {
	amount, _, blank := strings.Cut(key, " ")
	return blank && strings.Trim(amount, "+-.0123456789eE") == ""
}

// PurgeCutoff is the instant before which claimed records are expired at now;
// ok is false when nothing ever expires.
func (p Policy) PurgeCutoff(now time.Time) (cutoff time.Time, ok bool) {
	if p.Retention == Forever {
		return time.Time{}, false
	}
	// Purge takes what was claimed strictly before the cutoff, and a record
	// claimed exactly one retention ago is expired: hence the nanosecond.
	return now.Add(-p.Retention).Add(1), true
}

// Stores reports whether a reply of this status becomes the result of its key.
func (p Policy) Stores(status int) bool {
	switch p.Stored {
	case StoreSuccess:
		return status >= 200 && status < 300
	case StoreNot5xx:
		return status < 500
	default:
		return true
	}
}

// ScopedKey projects a request's columns on the scope.
func (p Policy) ScopedKey(r Request) ScopedKey {
	var k ScopedKey
	if slices.Contains(p.Scope, ScopeClient) {
		k.ClientID = r.ClientID
	}
	if slices.Contains(p.Scope, ScopeEndpoint) {
		k.Endpoint = r.Endpoint
	}
	if slices.Contains(p.Scope, ScopeKey) {
		k.Key = r.Key
	}
	if p.ScopesAmount() {
		k.Key = r.amount() + " " + k.Key
	}
	return k
}

// ScopesAmount reports whether a key is scoped by the amount in the body.
func (p Policy) ScopesAmount() bool { return slices.Contains(p.Scope, ScopeAmount) }

// amount is the text that a key is scoped by: the canonical number, which holds
// no blank, so that what stands before the first one is never part of a key.
// Digits in a string count as their number; a body without an amount has "".
func (r Request) amount() string {
	members, err := objectMembers(r.Body)
	if err != nil {
		return ""
	}
	amount := members["amount"]
	text, ok := stringOf(amount)
	switch {
	case amount.Kind() == '0':
		return canonicalNumber(string(amount))
	case ok && text != "" && strings.Trim(text, "0123456789") == "":
		return decimalOf(text).String()
	}
	return ""
}

// Claim makes the claim of a request at an instant. It fails with [ErrAmbiguous]
// when the fingerprint needs a JSON body and there is none.
func (p Policy) Claim(r Request, now time.Time) (Claim, error) {
	f, err := r.Fingerprint(p.Fingerprint)
	if err != nil {
		return Claim{}, fmt.Errorf("fingerprint: %w", err)
	}
	return Claim{Key: p.ScopedKey(r), Fingerprint: f, Under: r.Fingerprint, Now: now, Lease: p.Lease}, nil
}
