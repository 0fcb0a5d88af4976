// Package fault names the places where a process dies worst. In a program built
// with -tags faults, IDEM_FAULT=NAME:N kills it, as SIGKILL does, when it comes
// to the place NAME for the N-th time. In any other build a place is nothing.
package fault

// The places, in the order in which a payment passes them.
const (
	BeforeCommit = "before-commit" // of the claim, then of the completion; or of a purge
	AfterCommit  = "after-commit"
	InEffect     = "in-effect" // the transfer is written, its tie and the balances are not
	BeforeReply  = "before-reply"
)
