package findings

// FanOut: one message was delivered to several consumers, each of which
// executed it: three sends or more within a second, or two that overlap.
//
// Under one key it is certain. Under several, equal content for one order is
// probable where there are marks of a retry, and suspected otherwise. Blind
// spot: copies under keys of their own that name no order look like tickets
// that one person buys at once, and nothing is said of them.
const FanOut Class = "FAN_OUT"

func fanOutOfKey(d *facts, c *keyCluster) bool {
	if len(c.transfers) < 3 {
		return false
	}
	first, last := &d.requests[c.sends[0]], &d.requests[c.sends[len(c.sends)-1]]
	return first.is(timed) && last.is(timed) && len(c.sends) > 2 && last.at-first.at <= fanOutSpan
}

func fanOut(_ *facts, l *link) Confidence {
	if l.any(noTime|otherRef|otherClient|otherEndpoint|sameKey) || l.gap < 0 || l.gap > fanOutSpan || !l.is(sameBody) {
		return 0
	}
	switch {
	case l.is(namesOrder|overlap) && l.any(unanswered|again):
		return Probable
	case l.is(namesOrder) && l.any(overlap|unanswered|again):
		return Suspected
	}
	return 0
}
