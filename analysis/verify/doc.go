// Package verify audits a ledger that this program wrote: the day.db of a
// replay, or the database of a payment API, a file or on Postgres. It reads it
// and never changes it, shares no code with what wrote it but the rules of the
// engine, and says of each thing that must always hold whether it does, with the
// rows where not.
//
// Each record of a key has a checksum (see [engine.Checksum]), which tells of what
// happened to it by accident. The transfers are chained (see [engine.Seal]). The
// chain's end, the [Head], can be kept elsewhere: then also a ledger that was
// rewritten as a whole, or put back to an older state, is told from the true one.
// On Postgres the chain is continued a moment after the transfers are made; what
// it does not have yet is counted.
package verify
