// Package engine is the idempotency core: it decides whether a request is new,
// a retry of a finished one, a retry of one that still runs, or another request
// under a used key, and it makes sure that one life of a key moves money at most
// once.
//
// The rules are pure functions over an existing [Record], a [Claim], a time and
// a [Policy]: [Decide], [Settle] and [Purgeable]. A [Store] only makes them
// atomic. A request goes through the engine in two transactions:
//
//  1. [Store.Claim] inserts the record of the key, in progress. The UNIQUE
//     constraint on the scoped key decides a race; the loser reads the winner's
//     record and is told its [Outcome]. A loser writes nothing.
//  2. [Store.Complete] checks the fence token, runs the effect (the transfer,
//     the intent) and stores the reply, in one transaction. A worker whose
//     token is stale writes nothing.
//
// Conflicts, replays and mismatches are outcomes, not errors; an error means
// that the system failed. Nothing here reads the wall clock or draws random
// numbers: time and identifiers come in from the caller.
package engine
