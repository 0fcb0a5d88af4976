// Package damage flips bits of databases and takes or exchanges their logs, and
// asks what the program says then: the same as before, or that something is
// wrong. A ledger's audit, with the head that was kept of it, must tell of any
// change to money, and a store must send no stored reply that changed. An
// incident is other people's and has no seal: there a changed answer is counted,
// and beside it stands the SHA-256 of the file.
package damage
