package findings

// KeyCollisionAcrossClients: two clients use the same text as a key, as people
// do with numbers of orders. Both are right: a key lives in its client. An
// engine that goes by the key alone would lose the second payment.
//
// It accuses no transfer. Blind spot: one caller with two credentials looks like
// two clients; where both move the same money for one order, that is
// [TwoPathsOfOneOrder].
const KeyCollisionAcrossClients Class = "KEY_COLLISION_ACROSS_CLIENTS"
