package findings

// KeyReusedAcrossEndpoints: one key went to two endpoints of one client. If
// only one of them moved money, nothing is lost: an engine that goes by the key
// alone would have answered the second call with the first one's result.
//
// The key proves the reuse. That both calls were one payment is probable where
// they moved the same money; else no transfer is accused. Blind spot: clients
// that use an order's number as the key of every call about it do so on
// purpose.
const KeyReusedAcrossEndpoints Class = "KEY_REUSED_ACROSS_ENDPOINTS"

func keyReused(_ *facts, l *link) Confidence {
	if l.is(sameKey|otherEndpoint) && !l.any(otherRef|otherClient) && l.gap >= 0 && l.gap <= redeliverySpan {
		return Probable
	}
	return 0
}
