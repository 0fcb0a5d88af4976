package engine

import (
	"context"
	"errors"
	"time"
)

// Errors that every store reports, to be tested with errors.Is.
var (
	// ErrBusy: the store could not be had within its waiting time. Nothing was
	// written; the request may be sent again.
	ErrBusy = errors.New("store is busy")
	// ErrUnavailable: the store is down, closed, read-only or out of space.
	ErrUnavailable = errors.New("store is unavailable")
	// ErrUnknownCommit: the commit was sent and no answer came. The caller must
	// read the record again; it must not execute again.
	ErrUnknownCommit = errors.New("commit outcome unknown")
	// ErrDamaged: the store holds what it never writes. Nothing was written, and
	// nothing of it is handed out.
	ErrDamaged = errors.New("stored data is damaged")
)

// Store makes the rules of this package atomic. Implementations are safe for
// concurrent use, by goroutines and, where the medium is shared, by processes.
//
// Records, replies and documents are values that nobody changes: a store may keep
// the slices that it is given and hand out the ones it keeps, so they must not be
// modified once they went in, nor after they came out. The slices of a [Claim]
// are not kept. Times come back as they went in, to the nanosecond, in UTC.
type Store interface {
	// Claim decides on a claim (see [Decide]) and, when the outcome is Fresh,
	// writes the record; otherwise it writes nothing. Two claims of one key
	// never interleave, also when no record exists yet. The record returned
	// is the committed one. An error means that nothing is known to be claimed:
	// ErrBusy and ErrUnavailable, or the context's.
	Claim(ctx context.Context, c Claim, p Policy) (Verdict, error)

	// Complete checks the token (see [Holds]), runs effect and stores its reply
	// (see [Settle]), all in one transaction. Lost is not an error: nothing was
	// written and effect was not run. An error of effect rolls everything back
	// and comes back wrapped; the claim then stands as it was. Lost and Released
	// come with the zero Record.
	Complete(ctx context.Context, c Completion, p Policy, effect Effect) (Record, Settlement, error)

	// Purge deletes at most limit records that are [Purgeable] and returns how
	// many. It may be called again until it returns less than limit.
	Purge(ctx context.Context, cutoff, now time.Time, limit int) (int, error)

	// View runs fn in a read-only transaction.
	View(ctx context.Context, fn func(Tx) error) error

	// Update runs fn in a read-write transaction outside any claim: opening
	// accounts, changes that the system itself makes. An error rolls back.
	Update(ctx context.Context, fn func(Tx) error) error

	// Close releases the store. Calls after it return ErrUnavailable.
	Close() error
}

// Effect is what a request changes, run inside the completing transaction after
// the fence was checked. It must be quick, must use only tx, and may be run more
// than once when the store retries its transaction. The reply it returns is
// committed with its changes; an error drops both.
type Effect func(ctx context.Context, tx Tx) (Reply, error)

// Tx is the store inside a transaction. A write that fails dooms it: nothing is
// committed, whatever the function it was passed to returns.
type Tx interface {
	// Record reads the record of a key; nil when there is none. Retention is
	// not applied: the caller asks [Policy.Expired].
	Record(ctx context.Context, key ScopedKey) (*Record, error)

	// Account reads an account by the text of its id; nil when there is none.
	Account(ctx context.Context, id string) (*Account, error)
	// OpenAccount inserts an account; opening it again with other figures is an
	// error. Its balance may be below zero, as an account may have been overdrawn
	// before it came here; no debit takes one there. Not for use in an Effect.
	OpenAccount(ctx context.Context, a Account) error
	// Post writes the transfer, moves both balances with checked arithmetic and,
	// inside Complete, ties the transfer to the life of the claim, UNIQUE.
	// The accounts must exist and the funds suffice (see [CheckFunds]); that
	// they do not is an error here, not a refusal.
	Post(ctx context.Context, t Transfer) error
	// Transfer reads a transfer by its id; nil when there is none.
	Transfer(ctx context.Context, id string) (*Transfer, error)

	// Document reads a document that an effect stored; nil when there is none.
	Document(ctx context.Context, kind, id string) ([]byte, error)
	// PutDocument inserts or replaces a document.
	PutDocument(ctx context.Context, kind, id string, doc []byte) error
}
