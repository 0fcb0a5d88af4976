package findings

// RetryAfterRetention: the retry came when the key was forgotten: a day or more
// after the first send, which is how long keys are kept as a rule, or after
// another retry had been recognised.
//
// One key executed twice proves the duplicate; why is an inference. Blind spot:
// a store that lost the key earlier.
const RetryAfterRetention Class = "RETRY_AFTER_RETENTION"

func afterRetention(d *facts, c *keyCluster) bool {
	return c.someLink(func(l *link) bool { return l.gap >= day }) || d.recognisedBefore(c)
}

// recognisedBefore reports whether, between two executions, a send of the key
// was answered with success and moved nothing.
func (d *facts) recognisedBefore(c *keyCluster) bool {
	first, last := &d.requests[d.transfers[c.transfers[0]].request], &d.requests[d.transfers[c.transfers[len(c.transfers)-1]].request]
	for _, s := range c.sends {
		r := &d.requests[s]
		if r.moved == 0 && r.status >= 200 && r.status < 300 && r.at > first.end() && r.at < last.at {
			return true
		}
	}
	return false
}
