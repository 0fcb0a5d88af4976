package engine

import "strings"

// ScopedKey is an idempotency key in the scope it is valid in. A column that is
// not part of the policy's scope is empty. The three columns stay apart: client
// "a:b" with key "c" is never client "a" with key "b:c".
type ScopedKey struct {
	ClientID string
	Endpoint string
	Key      string
}

// Request is what the engine needs to know of a request to claim its key.
type Request struct {
	ClientID string
	Endpoint string // what the scope's endpoint column holds
	Key      string
	Method   string // of the request line; part of the "request" fingerprint only
	Target   string // path and query as sent; part of the "request" fingerprint only
	Body     []byte // as received
}

// BlankKey reports whether a key is no key: empty or white space alone. Such
// requests belong to no key and are never each other's duplicates.
func BlankKey(key string) bool { return strings.TrimSpace(key) == "" }
