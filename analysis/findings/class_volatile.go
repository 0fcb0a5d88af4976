package findings

// KeyFromVolatileFields: the client made the key of something that a retry
// changes, such as the instant of sending or a counter, so that each retry has
// another key.
//
// It takes what [KeyRegeneratedOnRetry] takes, and keys that differ only in
// digits, or bodies that differ only in such members. Blind spot: a key that is
// the hash of a volatile field looks like a random one.
const KeyFromVolatileFields Class = "KEY_FROM_VOLATILE_FIELDS"
