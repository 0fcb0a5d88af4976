// Package report writes what leaves the program: the two JSON files, the policy,
// the replayed ledger and the report for people in four languages.
//
// A [Day] is what was found out; [Prepare] checks its figures against queries on
// the replayed ledger, which know nothing of the replay, and measures what the
// report tells beyond them. A figure that two sides do not agree on is a
// [Contradiction], and nothing is written. [Formats] is the one table of files;
// [Report.Write] puts them into a folder, each whole or not at all.
//
// The same day gives the same bytes on any machine: nothing here reads the wall
// clock, the locale, the time zone, a path or a map's order.
package report
