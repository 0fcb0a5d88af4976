package storetest

import (
	"context"
	"errors"
	"testing"

	"idem/engine"
)

// testLifecycle proves what contexts and Close do.
func testLifecycle(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"a context that has ended": lifecycleCancelled,
		"a client that goes away":  lifecycleGone,
	})
	t.Run("after Close", func(t *testing.T) { lifecycleClosed(t, f) })
}

// calls is every method of a store, called so that it would write.
func (b *bundle) calls(ctx context.Context, held engine.Record) map[string]func() error {
	c := b.request(key("new"), bodyA, start)
	pay := b.pays("T1", 1)
	return map[string]func() error{
		"Claim": func() error { _, err := b.store.Claim(ctx, c, b.policy); return err },
		"Complete": func() error {
			_, _, err := b.store.Complete(ctx, engine.Completion{Key: held.Key, Fence: held.Fence, Now: at(1)}, b.policy, pay)
			return err
		},
		"Purge": func() error { _, err := b.store.Purge(ctx, at(1), at(1), 10); return err },
		"View":  func() error { return b.store.View(ctx, func(engine.Tx) error { return nil }) },
		"Update": func() error {
			return b.store.Update(ctx, func(tx engine.Tx) error { return tx.PutDocument(ctx, "k", "i", nil) })
		},
	}
}

func lifecycleCancelled(b *bundle) {
	held := b.fresh(key("held"), bodyA, start)
	b.keep(b.fresh(key("done"), bodyA, start), start, replies(engine.Reply{Status: 201}))
	b.names.document("k", "i")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, call := range b.calls(ctx, held) {
		b.unchanged(name+" with a context that has ended", func() {
			if err := call(); !errors.Is(err, context.Canceled) {
				b.Errorf("%s gives %v", name, err)
			}
		})
	}
}

// lifecycleGone ends the context inside the effect: what has begun is finished.
func lifecycleGone(b *bundle) {
	held := b.fresh(key("held"), bodyA, start)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pay := b.pays("T1", 10)
	_, settled, err := b.store.Complete(ctx, engine.Completion{Key: held.Key, Fence: held.Fence, Now: at(1)}, b.policy,
		func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			cancel()
			if err := ctx.Err(); err != nil {
				b.Errorf("the effect's context ended with its client: %v", err)
			}
			return pay(ctx, tx)
		})
	if err != nil || settled != engine.Kept {
		b.Errorf("completion is %v, %v; want kept", settled, err)
	}
	b.balances(990, 60, 0)
}

func lifecycleClosed(t *testing.T, f Factory) {
	b := newBundle(t, f)
	held := b.fresh(key("held"), bodyA, start)
	if err := b.store.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	for name, call := range b.calls(context.Background(), held) {
		if err := call(); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("%s after Close gives %v, want ErrUnavailable", name, err)
		}
	}
	if err := b.store.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
