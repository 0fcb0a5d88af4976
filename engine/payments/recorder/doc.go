// Package recorder writes the requests of a running payment API down as an
// incident database: what the gateway received, what it was answered, and what
// money really moved. The file can be analysed and replayed like any other
// incident, also while it is being written.
//
// It never holds a payment up. Entries go through a bounded queue to one writer;
// what does not fit is dropped and counted. A record of requests is evidence, not
// the ledger: the last moments before a power cut may be missing.
package recorder
