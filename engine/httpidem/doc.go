// Package httpidem puts an idempotency layer around any http.Handler: a request
// that is sent again under its key gets the reply of its first run, and the
// handler runs at most once in each life of a key.
//
// # What a request goes through
//
//  1. Authentication, on every method and before anything else: exactly one
//     "Authorization: Bearer <credential>". The scope of a key comes from the
//     credential, never from the body. Public routes belong beside the layer,
//     not behind it.
//  2. POST, PUT and PATCH need an Idempotency-Key; on other methods it is
//     ignored and the handler is called directly.
//  3. The body is read, up to [Options.MaxBody], and the key is claimed with the
//     fingerprint of the request. A retry gets the stored reply with
//     "Idempotent-Replayed: true"; another request under the key gets 422, the
//     same one while the first still runs 409 with Retry-After.
//  4. The handler runs outside any transaction, on the goroutine of its
//     connection. Its context does not end with the client's connection; it ends
//     a margin before the claim's lease.
//  5. One transaction checks the fence token of the claim, runs what the handler
//     registered with [OnComplete] and stores the reply. Then the reply is sent.
//
// # What a handler should know
//
// The reply is held back until it is stored, so Flush and Hijack answer
// http.ErrNotSupported and informational (1xx) replies are dropped. Whatever the
// handler answers is the result of the key, errors included. A panic, also
// http.ErrAbortHandler, is a stored 500 and drops what [OnComplete] registered;
// so does a reply longer than [Options.MaxReply]. A handler that is still running
// when its lease ends is given up: its client gets 409 claim_lost at once and
// nothing of it is written; its connection is closed when it is back. Database
// changes that must happen exactly once belong into [OnComplete]; what a handler
// does elsewhere can happen again after a crash.
//
// A reply longer than [Options.KeepReply] is sent once and not kept: a retry gets
// 409 result_not_kept, never a second run. Of the headers, those that describe
// the result are kept (see [Options.ReplayHeaders]); cookies, challenges, dates
// and what belongs to one connection never are.
//
// # Sources
//
// The key is read as draft-ietf-httpapi-idempotency-key-header has it, a
// structured-field string (RFC 9651), or bare, as most clients send it. Errors
// are problem documents (RFC 9457). Retry-After, Date and hop-by-hop headers
// follow RFC 9110.
package httpidem
