// Package pgstore keeps the engine's records and the ledger in Postgres, for
// several servers at once. It is tested on Postgres. The statements are also
// CockroachDB's and YugabyteDB's: there are no advisory locks, no sequences and
// nothing that READ COMMITTED alone gets right.
//
// # Claims
//
// The PRIMARY KEY on (client_id, endpoint, idem_key) decides a race: the claim
// is an INSERT ... ON CONFLICT DO NOTHING, and only its conflict leads to a look
// at the record. The look takes no lock, so that a retry's 409 or replay never
// waits for the completion that is running, and so that a loser writes nothing,
// not even a row lock. Where the rules allow a takeover, one UPDATE replaces the
// record if its fence and state are still those that were decided on; whatever
// changes a record changes one of them. When the row is gone or changed, the
// claim starts again, a bounded number of times.
//
// # Completions
//
// One transaction locks the record, checks the token, runs the effect and
// stores the reply. Accounts are locked when they are read. Two transactions
// never wait for each other's: one that needs an account which comes before one
// it holds does not wait but starts again, and then takes all it is known to
// need in their order.
//
// # Isolation
//
// Sessions are READ COMMITTED unless the connection string says otherwise, and
// nothing here depends on it: a claim is decided by single statements that check
// what they change, and what an effect read is locked until it has committed.
// A document that was found missing is only ever inserted, never overwritten.
// Under SERIALIZABLE, which is all that CockroachDB may offer, the same
// statements hold, and the transactions that the database then refuses (SQLSTATE
// 40001, 40P01) run again with jitter, a bounded number of times. Not protected
// below SERIALIZABLE are an effect's decisions on records of other keys, on
// transfers that do not exist, and on accounts that do not.
//
// # A commit without an answer
//
// When the connection breaks at COMMIT, the record is read again on another
// connection, with its lock: whoever has the lock knows that the transaction is
// over. What stands there is the answer. Nothing is executed again. A claim is
// simply sent again with the same token, which tells whether it had arrived.
//
// # The seal
//
// A chain of hashes over the transfers, as the SQLite store has it, would make
// every server wait for its end. So a payment only marks its transfer as not yet
// sealed, by leaving two columns empty, and [Store.Seal] continues the chain over
// what has been committed since: servers call it every few seconds, and whoever
// finds the end locked leaves it to the other. The order is the one in which
// sealings find transfers, which needs no order of commits. A transfer is
// protected from its sealing on; an audit says how many are not sealed yet.
//
// # Durability
//
// synchronous_commit must not be off; Open refuses that. It cannot see whether
// the server itself runs with fsync off.
//
// Each record is kept with its [engine.Checksum], and one that differs from it is
// [engine.ErrDamaged] to whoever asks for it. Records of older versions have none
// until they are written anew. A server of an older version must have ended before
// one of this version starts: it would change records and not their checksums.
//
// Texts may hold any bytes; those that TEXT cannot hold are escaped. Times are
// kept as unix nanoseconds, so records cannot be dated before 1678 or after
// 2262; such a claim is refused with [engine.ErrTime].
package pgstore
