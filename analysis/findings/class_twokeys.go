package findings

// TwoKeysInOneRequest: header and body each carry a key, the retry kept one of
// them and made the other anew, and the server went by the one that changed.
//
// The key that was kept proves the retry. Blind spot: a member of the body that
// is named like a key but is none, such as a request's number, makes this the
// explanation where the true one is another; the extra transfers are the same.
const TwoKeysInOneRequest Class = "TWO_KEYS_IN_ONE_REQUEST"

func twoKeys(_ *facts, c *keyCluster) bool {
	return c.someLink(func(l *link) bool { return l.is(otherBodyKey) && !l.a.is(ownKey) && !l.b.is(ownKey) })
}

// twoKeysAcross is the other way round: the body's key stayed and the header's
// changed.
func twoKeysAcross(_ *facts, l *link) Confidence {
	kept := l.a.bodyKey != 0 && l.a.bodyKey == l.b.bodyKey
	if kept && !l.any(sameKey|otherRef|otherClient|otherEndpoint) && l.is(keyed) {
		return Probable
	}
	return 0
}
