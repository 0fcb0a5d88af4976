package findings

// DuplicateRefundOrPayout: money went out to a customer twice for one order.
//
// The same order, parties and amount at an endpoint for refunds or payouts
// within a day is suspected; it is probable where the first was not answered.
// Blind spot: two equal parts of one refund, which is why it is no more.
const DuplicateRefundOrPayout Class = "DUPLICATE_REFUND_OR_PAYOUT"

// outWords are parts of the paths at which money goes out.
var outWords = []string{"refund", "payout", "withdraw", "reversal", "disburse", "chargeback"}

func duplicateRefund(d *facts, l *link) Confidence {
	if l.any(otherRef|otherClient|noTime|common) || !l.is(namesOrder) || l.gap < 0 || l.gap > day {
		return 0
	}
	if !d.isKind(l.a.endpoint, outgoing) || !d.isKind(l.b.endpoint, outgoing) {
		return 0
	}
	if l.any(unanswered | overlap | again) {
		return Probable
	}
	return Suspected
}
