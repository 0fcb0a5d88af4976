package sqlitestore_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"idem/engine"
	"idem/engine/sqlitestore"
)

// BenchmarkGroupCommit compares 64 clients whose commits are shared with one
// commit for each claim and each completion.
func BenchmarkGroupCommit(b *testing.B) {
	for name, one := range map[string]bool{"together": false, "one-by-one": true} {
		b.Run(name, func(b *testing.B) {
			store, err := sqlitestore.Open(context.Background(), filepath.Join(b.TempDir(), "live.db"), sqlitestore.Options{OneByOne: one})
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			openAccounts(b, store, 1000)
			p := engine.DefaultPolicy()
			var next atomic.Int64
			b.SetParallelism(32) // on two processors: 64 clients
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					payOnce(b, store, p, int(next.Add(1)))
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
