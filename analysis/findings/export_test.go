package findings

import (
	"context"

	"idem/analysis"
)

// FindAside is Find that keeps no row in memory before it picks.
func FindAside(ctx context.Context, in *analysis.Incident) (*Result, error) {
	return find(ctx, in, nil, 0, 5)
}
