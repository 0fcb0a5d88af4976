package cli

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"sync"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/replay"
	"idem/report"
)

// inquiry answers what the screens ask about an incident beyond its keys.
type inquiry struct {
	in *analysis.Incident

	mu    sync.Mutex
	found *findings.Result
}

// Findings looks once; who comes while that runs waits for it.
func (q *inquiry) Findings(ctx context.Context, progress func(done, total int64)) (*findings.Result, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.found == nil {
		defer debug.FreeOSMemory()
		defer large()()
		found, err := findings.Find(ctx, q.in, progress)
		if err != nil {
			return nil, err
		}
		q.found = found
	}
	return q.found, nil
}

func (q *inquiry) Refunds(ctx context.Context, dir string) ([]string, error) {
	found, err := q.Findings(ctx, nil)
	if err != nil {
		return nil, err
	}
	evidence, err := q.in.Evidence(ctx, nil)
	if err != nil {
		return nil, err
	}
	paths, err := report.WriteRefunds(ctx, dir, q.in, found, evidence, Version)
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(p)
	}
	return names, err
}

func (q *inquiry) Position(ctx context.Context, seq int64) (int64, error) {
	r, err := q.in.Request(ctx, seq)
	return r.N, err
}

func (q *inquiry) Day() replay.Source { return q.in }
