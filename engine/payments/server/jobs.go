package server

import (
	"context"
	"time"
)

// purgeBatch is what one transaction deletes, so that it holds the store's write
// lock only briefly; maxBatches is what one purge does before it rests.
const (
	purgeBatch = 500
	maxBatches = 200
)

// lookAfter purges and sweeps until ctx ends.
func (s *Server) lookAfter(ctx context.Context) {
	tick := time.NewTicker(s.cfg.PurgeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.purge(ctx)
			s.sweep(ctx)
		}
	}
}

// purge deletes expired keys. Nothing depends on it but the size of the store.
func (s *Server) purge(ctx context.Context) {
	now := s.cfg.Now()
	cutoff, ok := s.cfg.Policy.PurgeCutoff(now)
	if !ok {
		return
	}
	for range maxBatches {
		n, err := s.cfg.Store.Purge(ctx, cutoff, now, purgeBatch)
		s.metrics.purged.Add(float64(n))
		if err != nil {
			s.jobFailed(ctx, "purge of expired keys failed", err)
			return
		}
		if n < purgeBatch {
			return
		}
	}
}

func (s *Server) sweep(ctx context.Context) {
	n, err := s.api.Sweep(ctx)
	s.metrics.expired.Add(float64(n))
	if err != nil {
		s.jobFailed(ctx, "sweep of expired intents failed", err)
	}
}

// jobFailed is silent about a job that was stopped.
func (s *Server) jobFailed(ctx context.Context, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	s.metrics.storeErrors.Inc()
	s.cfg.Logger.WarnContext(ctx, what, "error", err)
}
