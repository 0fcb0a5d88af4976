// Package replay sends a day's requests through the idempotency engine, in the
// day's own time, and tells what became of each.
//
// A [Player] has a frontier, up to which rows have been sent, and a journal of
// them in day.db. Every position up to the frontier is read from the journal,
// so going back, forwards or anywhere is the same cheap seek; only going beyond
// the frontier runs the engine. Memory does not grow with the day.
//
// A [Course] is what a player is made of without its journal: it sends the rows
// of a [Stream] through any [engine.Store], and any number of courses can share
// the rows. [Options] do something to a day: a crash, a stalled worker, a race.
//
// A [Guard] watches a course for the first invariant that breaks, in bounded
// memory; a player has one. [Player.Rank] gives steps in another order than the
// day's, a bounded part at a time.
package replay
