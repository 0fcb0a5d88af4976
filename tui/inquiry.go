package tui

import (
	"context"

	"idem/analysis/compare"
	"idem/analysis/findings"
	"idem/analysis/replay"
)

// Inquiry is what is asked about an incident beyond its keys: who was paid twice
// and why, and what other rules would have done. It is a part of [Session].
type Inquiry interface {
	// Findings looks for transfers that are too many and says why. Progress is
	// told the rows read; the total is 0 while it is unknown.
	Findings(ctx context.Context, progress func(done, total int64)) (*findings.Result, error)
	// Refunds writes the lists of refunds into the folder, all of them or none,
	// and returns their names.
	Refunds(ctx context.Context, dir string) ([]string, error)
	// Position is the position in the day of the request with that seq.
	Position(ctx context.Context, seq int64) (int64, error)
	// Compare replays the day for two sides. Who closes the table need not do so
	// before the session.
	Compare(ctx context.Context, sides [2]compare.Side, progress func(done, total int64)) (*compare.Table, error)
	// Day is the log, for replays beside the player's.
	Day() replay.Source
}
