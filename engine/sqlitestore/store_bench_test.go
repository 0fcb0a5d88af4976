package sqlitestore_test

import (
	"context"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"idem/engine"
	"idem/engine/sqlitestore"
	"idem/engine/storetest"
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

// BenchmarkOpenNew is what a single call on a new file pays: creating it, its
// tables and its write-ahead log, and closing it.
func BenchmarkOpenNew(b *testing.B) {
	dir := b.TempDir()
	i := 0
	for b.Loop() {
		i++
		store, err := sqlitestore.Open(context.Background(), filepath.Join(dir, strconv.Itoa(i)), sqlitestore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenAgain opens a file that has everything.
func BenchmarkOpenAgain(b *testing.B) {
	path := filepath.Join(b.TempDir(), "live.db")
	for b.Loop() {
		store, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStore measures each call by itself: the four answers to a claim and
// a completion with a transfer.
func BenchmarkStore(b *testing.B) {
	for name, open := range map[string]func(testing.TB) engine.Store{"live": newLive, "bulk": openBulkDay} {
		b.Run(name, func(b *testing.B) {
			store := open(b)
			defer store.Close()
			openAccounts(b, store, 1000)
			storetest.Bench(b, store)
		})
	}
}

func openBulkDay(tb testing.TB) engine.Store {
	store, err := sqlitestore.OpenBulk(context.Background(), filepath.Join(tb.TempDir(), "day.db"), sqlitestore.BulkOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return store
}
