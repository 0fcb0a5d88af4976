// Package sqlitestore keeps the engine's records and the ledger in one SQLite
// file.
//
// There are two forms over one schema, and one set of rules, [engine.Decide] and
// its like:
//
//   - [Open] is for live use: WAL, synchronous=FULL, BEGIN IMMEDIATE always.
//     Operations that wait at the same time are committed together, each in a
//     savepoint of its own, and answered after the commit.
//   - [OpenBulk] is for a replayed day, which can be made again: one user, who
//     decides in memory while what was decided before is being written; no
//     waiting for the disk.
//
// Live, the UNIQUE constraint on (client_id, endpoint, idem_key) decides a race: the
// claim is an INSERT, and only its conflict leads to a look at the record. The
// UNIQUE constraints of transfer_claim say that one life of a key makes one
// transfer. The statements stand in .sql files that begin with what each proves.
//
// Each record is kept with its [engine.Checksum], and one that differs from it is
// [engine.ErrDamaged] to whoever asks for it. Files of older versions get the
// place for it, and what else they lack, when they are opened; their records have
// no checksum until they are written anew.
//
// Times are kept as unix nanoseconds, so records cannot be dated before 1678 or
// after 2262; such a claim is refused with [engine.ErrTime].
package sqlitestore
