package findings

// KeyRegeneratedOnRetry: the client made a new key for each retry, so that no
// server could recognise it.
//
// Equal payments for one order, the later one after the earlier one was not
// answered or while it still ran, are probable; without an order they are
// suspected. Blind spot: a caller that gave up although the log shows a success
// leaves no mark, and its retry looks like an honest repeat.
const KeyRegeneratedOnRetry Class = "KEY_REGENERATED_ON_RETRY"

func keyRegenerated(_ *facts, l *link) Confidence {
	if !l.is(keyed) || l.any(sameKey|otherRef|otherClient|otherEndpoint|noTime) || l.gap < 0 {
		return 0
	}
	// What arrives within a second is no retry of a caller that waited.
	lost := l.any(unanswered|again) || l.is(overlap) && l.gap > fanOutSpan
	switch {
	case !lost:
		return 0
	case l.is(namesOrder) && l.pause <= longRetry:
		return Probable
	case l.is(sameBody) && l.pause <= shortRetry && !l.is(common) && (l.any(unanswered|again) || l.gap >= shortestWait):
		return Suspected
	}
	return 0
}
