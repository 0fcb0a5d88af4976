// Package findings says who was paid twice, why, and how sure that is.
//
// A key proves what it ties together, and analysis.Incident.Duplicates counts
// that. But clients make a new key for each retry, send none, make it of the
// clock, or a proxy sends a request again below the log. [Find] looks for all of
// these, and for what only looks like them.
//
// # How sure
//
// A finding is [Certain] where a key or the log proves it: one key that was
// executed twice, one request that moved money twice. It is [Probable] where what
// the payment is for and the marks of a retry agree, and [Suspected] where only
// circumstances do. It is never surer than the tie of its transfers to their
// requests. What accuses no transfer is no more than probable. Nothing but a
// certain finding may be acted upon without a person.
//
// Equal payments alone accuse nobody: people buy two coffees, subscribe, and pay
// in parts. There must be a mark of a retry: the first send was not answered, or
// still ran, or carried no key and came for the same order within a minute.
// Payments for different orders are never linked. Where equal payments are usual
// between two accounts, nearness in time says nothing.
//
// # How it works
//
//	rows -> facts (hashes, 190 bytes a row) -> candidates -> drafts -> rows again -> findings
//
// Both tables are read once into facts, which go into a temporary file where they
// are many. Sieves of a few bits a hash tell which keys, orders and payments occur
// again; only the facts of those come into memory, so that a day takes what its
// duplicates take, and some 20 bytes a row. All facts come into memory where the
// log does not lie in the order of its seqs, or a transfer lacks its request.
// Candidates of one key are explained by keyRules, equal payments under
// several keys by linkRules, both in the order of their strength: the strongest
// explanation wins, and the finding names the ones it beat. An extra or disputed
// transfer is in one finding only. Only the rows of findings are read again, by
// their place. The same incident gives the same findings, whatever the seed of
// the hashes.
//
// # A class
//
// Each class stands in a file of its own, class_*.go, whose comment says what it
// proves and where it is blind. A new one takes that file, a line in a table of
// rules and in classes, its words in report/lang, and an incident in the tests
// with one beside it that only just is none.
package findings
