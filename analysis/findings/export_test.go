package findings

import (
	"context"

	"idem/analysis"
)

// FindAside is Find that keeps no row in memory before it picks.
var FindAside = func(ctx context.Context, in *analysis.Incident) (*Result, error) { return find(ctx, in, nil, 0) }
