package findings

// AmountOffByUnit: an amount moved that is a power of ten off from what was
// asked for, or from the other payment of its order: minor units were taken for
// major ones. Which amount was meant is for a person to say.
//
// The request's own amount, or the order's reference, shows it. Blind spot: an
// order that is paid in parts of which one happens to be ten or a hundred times
// the other.
const AmountOffByUnit Class = "AMOUNT_OFF_BY_UNIT"
