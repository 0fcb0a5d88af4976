// Package fault names the places where a process dies worst. In a program built
// with -tags faults, IDEM_FAULT=NAME:N kills it, as SIGKILL does, when it comes
// to the place NAME for the N-th time; and a simulation that watches may hold it
// there, or make the place fail. In any other build a place is nothing: [Point]
// is inlined, and no trace of it is left in the program.
package fault

// The places, in the order in which a payment passes them.
const (
	BeforeBegin  = "before-begin"  // operations were taken from the queue
	BeforeCommit = "before-commit" // of the claim, then of the completion; or of a purge
	AfterCommit  = "after-commit"
	InEffect     = "in-effect" // the transfer is written, its tie and the balances are not
	BeforeReply  = "before-reply"
)

// The places of other work.
const (
	InPurge  = "in-purge"  // the records are deleted, nothing is committed
	InImport = "in-import" // the incident is whole, and has not got its name
	InExport = "in-export" // the files are whole; before each gets its name, and once after the last
)
