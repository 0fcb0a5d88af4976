package sqlitestore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/sqlitestore"
)

var day = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// BenchmarkBulkDay is a replayed day: each request claims its key and completes
// it with a transfer between two of 1000 accounts.
func BenchmarkBulkDay(b *testing.B) {
	ctx := context.Background()
	store, err := sqlitestore.OpenBulk(ctx, filepath.Join(b.TempDir(), "day.db"), sqlitestore.BulkOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	openAccounts(b, store, 1000)
	p := engine.DefaultPolicy()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		payOnce(b, store, p, i)
		i++
	}
	if err := store.Flush(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

func openAccounts(tb testing.TB, store engine.Store, n int) {
	tb.Helper()
	ctx := context.Background()
	err := store.Update(ctx, func(tx engine.Tx) error {
		for i := range n {
			a := engine.Account{ID: fmt.Sprintf("A%04d", i), Holder: "holder", Balance: 1 << 50}
			if err := tx.OpenAccount(ctx, a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// payOnce sends the i-th request of a day: a fresh key, one transfer.
func payOnce(tb testing.TB, store engine.Store, p engine.Policy, i int) {
	ctx := context.Background()
	key := fmt.Sprintf("%08x-%08x", uint32(i)*2654435761, i)
	r := engine.Request{ClientID: "shop-1", Endpoint: "POST /v1/transfers", Key: key,
		Body: fmt.Appendf(nil, `{"src":"A%04d","dst":"A%04d","amount":1000,"currency":"KRW"}`, i%1000, (i+7)%1000)}
	now := day.Add(time.Duration(i) * time.Millisecond)
	c, err := p.Claim(r, now)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := store.Claim(ctx, c, p)
	if err != nil || v.Outcome != engine.Fresh {
		tb.Fatal(v.Outcome, err)
	}
	order, _, err := engine.ParseOrder(r.Body)
	if err != nil {
		tb.Fatal(err)
	}
	done := engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: now.Add(time.Second)}
	_, settled, err := store.Complete(ctx, done, p, func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		return engine.Pay(ctx, tx, order, fmt.Sprintf("T%d", i), done.Now)
	})
	if err != nil || settled != engine.Kept {
		tb.Fatal(settled, err)
	}
}
