package findings

// ExecutedButNotAnswered: the first send moved money, yet its caller was told
// of an error or nothing, so it sent the same key again, and that was executed,
// too: the result was not stored with the money.
//
// One key executed twice proves the duplicate, the log's status the cause.
// Blind spot: an error that a proxy made of a good answer does not stand in the
// log of the service behind it.
const ExecutedButNotAnswered Class = "EXECUTED_BUT_ERROR_ANSWERED"

func executedNotAnswered(_ *facts, c *keyCluster) bool {
	return c.someLink(func(l *link) bool { return l.is(unanswered) })
}
