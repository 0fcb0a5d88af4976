package findings

// NoKey: a payment without a key was sent again. Nothing but circumstances can
// tell it from an honest repeat, so an empty key is never one group.
//
// The same client, parties, amount and order within a minute are suspected; if
// the first send was not answered, they are probable. Blind spot: a person who
// pays the same order twice on purpose within a minute.
const NoKey Class = "NO_KEY"

func noKey(_ *facts, l *link) Confidence {
	if !l.any(keyless|halfKeyed) || l.any(otherRef|otherClient|otherEndpoint|noTime) || l.gap < 0 {
		return 0
	}
	lost := l.any(unanswered | overlap | again)
	switch {
	case l.is(namesOrder) && lost && l.pause <= longRetry:
		return Probable
	case l.is(keyless|namesOrder) && l.gap <= keylessSpan:
		return Suspected
	case l.is(common) || !l.is(sameBody):
		return 0
	case lost && l.pause <= shortRetry, l.is(keyless) && l.gap <= doubleClick:
		return Suspected
	}
	return 0
}
