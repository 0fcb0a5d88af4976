// Command iofaults lets the program's system calls on files fail, one after the
// other, and judges what it says and what it leaves:
//
//	go run ./proof/iofaults -idem ./bin/idem [-run REGEXP] [-sample N] [-seed N]
//
// A scenario is run once for each of its calls and each way to fail: a write, read,
// sync, open, mapping, listing, cut, rename or removal that answers EIO, ENOSPC,
// EMFILE or ENOMEM, once or from there on; a write of the half, once, always, or as the last
// before ENOSPC; a write or sync that answers that it was done and was not. After
// each: a success or an error that says what happened, with its exit code; no
// success that is not in the database when it is opened again; no file by half; no
// failure of what is only to be gone on with; the same request, sent again when the
// fault is gone, gets what it must, and what could not be removed goes. Of a write that lied only that is asked which
// can be: no panic, and that the audit or the answer shows it; what neither shows
// is counted.
//
// A tracer of its own, by ptrace(2), counts the calls of all threads and lets the
// one fail that is aimed at: the nth of its name on its file, with the numbers in
// the file's name left out. Runs are alike in that, nearly all even in the order of
// all their calls. A fault that does not fire is a failure of the run. Not aimed at
// are the calls that not every run has, such as a server's last look at a client's
// connection, whose number is in the last line; and those on files that are the Go
// runtime's own: its eventfd, which it cannot live without and uses as its scheduler
// happens to want, memory that is no file, and what it asks of /proc and /sys before
// main begins. Nor are locks: one that cannot be released stays until the process
// ends, and the store is busy for it until then.
//
// It needs Linux on amd64. The exit code is 1 when something did not hold.
package main
