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

// sealer is a store whose transfers are sealed after they were made.
type sealer interface {
	Seal(ctx context.Context, limit int) (sealed int, err error)
}

// sealEvery is how long a transfer may wait for its seal; sealBatch is what one
// transaction seals, while other servers leave the chain to it.
const (
	sealEvery = 2 * time.Second
	sealBatch = 500
)

// lookAfter purges, sweeps and seals until ctx ends. What ran last is sealed then.
func (s *Server) lookAfter(ctx context.Context) {
	purge, seal := time.NewTicker(s.cfg.PurgeEvery), time.NewTicker(sealEvery)
	defer purge.Stop()
	defer seal.Stop()
	for {
		select {
		case <-ctx.Done():
			s.seal(context.WithoutCancel(ctx))
			return
		case <-purge.C:
			s.purge(ctx)
			s.sweep(ctx)
		case <-seal.C:
			s.seal(ctx)
		}
	}
}

// seal continues the chain over the transfers, where the store does not do so
// with each of them.
func (s *Server) seal(ctx context.Context) {
	store, ok := s.cfg.Store.(sealer)
	if !ok {
		return
	}
	for range maxBatches {
		n, err := store.Seal(ctx, sealBatch)
		if err != nil {
			s.jobFailed(ctx, "sealing the transfers failed", err)
			return
		}
		if n < sealBatch {
			return
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
