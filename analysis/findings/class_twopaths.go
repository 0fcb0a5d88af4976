package findings

// TwoPathsOfOneOrder: an order was paid through two doors at once, such as the
// checkout and the webhook that reports it, or by two callers.
//
// The order's reference, the same parties and the same amount show it. Blind
// spot: without a reference two doors can only be suspected, and only while one
// still works as the other begins.
const TwoPathsOfOneOrder Class = "TWO_PATHS_OF_ONE_ORDER"

func twoPaths(_ *facts, l *link) Confidence {
	if !l.any(otherEndpoint|otherClient) || l.any(otherRef|noTime) || l.gap < 0 || l.gap > twoPathsSpan {
		return 0
	}
	near := l.gap <= keylessSpan || l.any(overlap|unanswered)
	switch {
	case (l.is(namesOrder) || l.is(sameKey)) && near:
		return Probable
	case l.is(namesOrder) || l.is(sameKey):
		return Suspected
	case l.is(overlap) && l.gap <= doubleClick && !l.is(common):
		return Suspected
	}
	return 0
}
