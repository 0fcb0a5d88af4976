package findings

// NotADuplicate: equal payments under keys of their own, each of them answered.
// They look alike, which makes no duplicate: people buy two coffees.
//
// It accuses no transfer. Blind spot: [KeyRegeneratedOnRetry] without a mark.
const NotADuplicate Class = "NOT_A_DUPLICATE"
