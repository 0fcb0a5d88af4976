package memstore_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/memstore"
	"idem/engine/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Factory{New: func(testing.TB) engine.Store { return memstore.New() }})
}

func BenchmarkStore(b *testing.B) { storetest.Bench(b, memstore.New()) }

// TestOneKeyManyTimes claims one key from a few goroutines, so often that two of
// them meet inside the store.
func TestOneKeyManyTimes(t *testing.T) {
	ctx, p := context.Background(), engine.DefaultPolicy()
	for round := range 3000 {
		store := memstore.New()
		c := engine.Claim{Key: engine.ScopedKey{Key: "k"}, Fingerprint: engine.Fingerprint{1}, Now: time.Unix(0, 0), Lease: p.Lease}
		var fresh atomic.Int32
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if v, err := store.Claim(ctx, c, p); err == nil && v.Outcome == engine.Fresh {
					fresh.Add(1)
				}
			})
		}
		group.Wait()
		if fresh.Load() != 1 {
			t.Fatalf("round %d: %d of the claims are fresh", round, fresh.Load())
		}
	}
}
