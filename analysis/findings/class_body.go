package findings

// SameKeyDifferentBody: one key moved different money. Either the retry was
// changed or the key was used for another payment; only a person can tell which
// amount was meant, so the transfers are disputed and none is extra.
//
// The key proves the conflict. Blind spot: what was meant does not stand in any
// log.
const SameKeyDifferentBody Class = "SAME_KEY_DIFFERENT_BODY"
