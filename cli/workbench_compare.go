package cli

import (
	"context"

	"idem/analysis/compare"
)

// Compare keeps its rows in the session's private folder.
func (s *session) Compare(ctx context.Context, sides [2]compare.Side, progress func(done, total int64)) (*compare.Table, error) {
	return compare.Run(ctx, s.Day(), s.dir, sides, progress)
}
