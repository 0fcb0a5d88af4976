package findings

// ConcurrentSameKey: the second send of a key came while the first still ran,
// and both were executed: two workers took one job, or a check was not a claim.
//
// Arrival and duration prove the overlap. Blind spot: durations that the log
// rounds up, and nodes whose clocks differ, make an overlap of sends that
// followed each other closely.
const ConcurrentSameKey Class = "CONCURRENT_SAME_KEY"

func concurrent(_ *facts, c *keyCluster) bool {
	return c.someLink(func(l *link) bool { return l.is(overlap) })
}
