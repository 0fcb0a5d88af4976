package findings

// SameKeyExecutedTwice: one key, in one client and endpoint, moved the same
// money more than once, and nothing in the log says why the second send was not
// recognised: the server keeps no keys, or loses them.
//
// It proves that a retry was executed: the client has said with its key that
// the sends are one payment. Blind spot: a client that uses one key for
// payments that are equal on purpose looks the same, but has asked for it.
const SameKeyExecutedTwice Class = "SAME_KEY_EXECUTED_TWICE"
