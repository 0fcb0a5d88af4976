package findings

// KeyHoldsTime: the key holds a time bucket, or a token that lives for a while,
// so that a retry on the other side of its edge has another key.
//
// It takes what [KeyRegeneratedOnRetry] takes, and keys that differ only in a
// part that counts the time of their sends. Blind spot: buckets under a hash.
const KeyHoldsTime Class = "KEY_HOLDS_TIME_OR_TOKEN"
