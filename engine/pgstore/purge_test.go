package pgstore

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

// TestPurgeMeetsTakeover lets a purge choose a lapsed claim that is being taken
// over: it must look again when the takeover has committed, and leave it.
func TestPurgeMeetsTakeover(t *testing.T) {
	r := newRig(t, Options{})
	r.hold("k")
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, r.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	takeover, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	lapsed := begin.Add(engine.DefaultPolicy().Lease)
	if _, err := takeover.Exec(ctx, "UPDATE idempotency_key SET fence = fence + 1000, attempt = 2, lease_until = $1", lapsed.UnixNano()+1); err != nil {
		t.Fatal(err)
	}
	purged := make(chan string, 1)
	go func() {
		n, err := r.store.Purge(ctx, lapsed, lapsed, 10)
		purged <- fmt.Sprint(n, err)
	}()
	r.awaitWaiter()
	if err := takeover.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if got := <-purged; got != "0 <nil>" {
		t.Errorf("purged %s, want the live claim to stay", got)
	}
}

// TestPurgeBatches: more than one batch, and never more than was asked for.
func TestPurgeBatches(t *testing.T) {
	r := newRig(t, Options{})
	ctx := context.Background()
	_, err := r.store.pool.Exec(ctx, `INSERT INTO idempotency_key (client_id, endpoint, idem_key, state, fingerprint, life, fence, attempt, claimed_at, lease_until)
		SELECT 'c', 'e', i::text, 'in_progress', '\x00', i, i, 1, i, i FROM generate_series(1, 2500) AS i`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1700, 800, 0} {
		if n, err := r.store.Purge(ctx, begin, begin, 1700); err != nil || n != want {
			t.Errorf("purged %d, %v; want %d", n, err, want)
		}
	}
}
