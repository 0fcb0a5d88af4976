package findings

// ReplayedErrorThenNewKey: a stored error was answered to each retry of a key,
// until the client made a new one, which paid once. No money moved twice; the
// stored error cost the client its key.
//
// It accuses no transfer. Blind spot: an error that was computed anew each time
// looks like a stored one.
const ReplayedErrorThenNewKey Class = "REPLAYED_ERROR_THEN_NEW_KEY"
