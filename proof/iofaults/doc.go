// Command iofaults lets the system calls of the program fail, one after the
// other, by strace's injection, and judges what it says and what it leaves:
//
//	go run ./proof/iofaults -idem ./bin/idem [-run REGEXP] [-sample N] [-seed N]
//
// A scenario is run once to count its calls and then once for each of them and
// each way to fail: a write, read, sync, open, cut, rename or removal that
// answers EIO or ENOSPC, once or from there on; a write or sync that answers that
// it was done and was not. After each: a success or an error that says what
// happened, with its exit code; no success that is not in the database when it is
// opened again; no file by half; the same request, sent again when the fault is
// gone, gets what it must. Of a write that lied only that is asked which can be:
// no panic, and that the audit or the answer shows it; what neither shows is
// counted.
//
// strace counts the calls of each thread for itself, and the Go runtime moves
// work between threads, so a run may fail at another place than it aimed at, or
// at one for each thread. What counts is where the log says that it did: the last
// line has the places that were hit, of all that there are.
//
// It needs Linux and Debian's package strace. The exit code is 1 when something
// did not hold, or when no fault came to pass in a scenario.
package main
