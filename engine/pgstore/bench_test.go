package pgstore_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"idem/engine"
	"idem/engine/pgstore"
	"idem/engine/pgstore/pgtest"
)

// BenchmarkClaimComplete is a whole payment: a claim and its completion with
// a transfer between two of a thousand accounts, from 64 clients, with one
// server and with three on one database. fsync is on.
func BenchmarkClaimComplete(b *testing.B) {
	for _, servers := range []int{1, 3} {
		b.Run(fmt.Sprintf("servers=%d", servers), func(b *testing.B) {
			stores := openBench(b, servers)
			var n atomic.Int64
			clients(b, func(client int) {
				id := fmt.Sprint(n.Add(1))
				payBench(b, stores[client%servers], client, id)
			})
		})
	}
}

// BenchmarkReplay is a retry of a key that has its result.
func BenchmarkReplay(b *testing.B) {
	stores := openBench(b, 1)
	for i := range 1000 {
		payBench(b, stores[0], i, fmt.Sprint(i))
	}
	var n atomic.Int64
	clients(b, func(int) {
		v, err := stores[0].Claim(context.Background(), claimOf(fmt.Sprint(n.Add(1)%1000)), engine.DefaultPolicy())
		if err != nil || v.Outcome != engine.Replay {
			b.Errorf("%v, %v", v.Outcome, err)
		}
	})
}

const benchAccounts = 1000

func openBench(b *testing.B, servers int) []*pgstore.Store {
	dsn := pgtest.Database(b)
	stores := make([]*pgstore.Store, servers)
	for i := range stores {
		stores[i] = openStore(b, dsn, pgstore.Options{})
	}
	ids := make([]string, benchAccounts)
	for i := range ids {
		ids[i] = fmt.Sprint("a", i)
	}
	openAccounts(b, stores[0], ids...)
	return stores
}

func payBench(b *testing.B, s engine.Store, client int, id string) {
	v, err := s.Claim(context.Background(), claimOf(id), engine.DefaultPolicy())
	if err != nil {
		b.Error(err)
		return
	}
	held := engine.Completion{Key: v.Record.Key, Fence: v.Record.Fence, Now: begin}
	n := int(v.Record.Fence)
	src, dst := fmt.Sprint("a", (n*7+client)%benchAccounts), fmt.Sprint("a", (n*13+client+1)%benchAccounts)
	if _, settled, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), order(id, src, dst, 1)); err != nil || settled != engine.Kept {
		b.Errorf("%v, %v", settled, err)
	}
}

// clients shares b.N operations among 64 clients.
func clients(b *testing.B, op func(client int)) {
	b.ResetTimer()
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	for client := range 64 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				op(client)
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}
