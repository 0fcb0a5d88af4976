// Package simulate runs several servers on one SQLite file as one deterministic
// program: the store is the real one, and so are its rules, its transactions and
// its writers, but at each place where a process could be held up (package
// idem/engine/fault) it waits until a scheduler, drawn from a seed, lets one of
// them go on. The clock is the scheduler's, too: it jumps to the ends of leases
// and retentions and to the nanosecond beside them, and backwards. Meanwhile
// servers crash, commits fail, answers to commits get lost, purges run, workers
// come too late and complete twice.
//
// After each commit the reference ([idem/engine/storetest.Model]) does what was
// committed, and each answer must be the reference's; at any moment the file must
// hold what the reference does; in the end idem verify must find nothing, what
// was answered must be there, and what the clients saw must be linearizable
// (package idem/proof/linear). The same seed gives the same history, byte for
// byte.
//
// A crash here ends what a server was doing and closes its file in order; what a
// killed process or a power cut leaves of a file is for idem/proof/kills and
// idem/proof/powercut.
//
// The package needs a program built with -tags faults; without it there is one
// test, which runs the others so.
package simulate
