package storetest

import (
	"context"
	"testing"

	"idem/engine"
)

// testEffect proves that an effect and its reply are one: both or neither, and
// once a life.
func testEffect(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"commits with the reply":     effectCommits,
		"one transfer a life":        effectTie,
		"errors that are ignored":    effectIgnores,
		"a transfer id is used once": effectTransferID,
		"a takeover pays once":       effectTakeover,
		"a release keeps the effect": effectReleased,
		"reads what it wrote":        effectReads,
		"documents":                  effectDocuments,
	})
}

func effectCommits(b *bundle) {
	b.keep(b.fresh(key("k"), bodyA, start), at(1), b.pays("T1", 400))
	b.view(func(tx engine.Tx) error {
		want := engine.Transfer{ID: "T1", Src: "A", Dst: "B", Amount: 400, Currency: "KRW", CreatedAt: start}
		if t, err := tx.Transfer(context.Background(), "T1"); err != nil || t == nil || *t != want {
			b.Errorf("transfer %+v, %v; want %+v", t, err, want)
		}
		return nil
	})
	b.balances(600, 450, 0)
}

// balances insists on those of A, B and 7.
func (b *bundle) balances(want ...int64) {
	b.Helper()
	b.view(func(tx engine.Tx) error {
		for i, id := range []string{"A", "B", "7"} {
			if a, err := tx.Account(context.Background(), id); err != nil || a == nil || a.Balance != want[i] {
				b.Errorf("account %s is %+v, %v; want balance %d", id, a, err, want[i])
			}
		}
		return nil
	})
}

// effectTie posts twice in one life: the second is an error.
func effectTie(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	b.names.transfer("T1")
	b.names.transfer("T2")
	b.unchanged("a life with two transfers", func() {
		_, _, err := b.store.Complete(context.Background(), engine.Completion{Key: first.Key, Fence: first.Fence, Now: at(1)}, b.policy,
			func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
				if _, err := b.pays("T1", 10)(ctx, tx); err != nil {
					b.Errorf("the first transfer: %v", err)
				}
				return b.pays("T2", 10)(ctx, tx)
			})
		if err == nil {
			b.Error("two transfers in one life are no error")
		}
	})
	b.keep(first, at(2), b.pays("T1", 10))
	b.balances(990, 60, 0)
}

// effectIgnores does not look at the error of its second transfer: a write that
// failed dooms the transaction, or half an effect would be committed.
func effectIgnores(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	b.names.transfer("T1")
	b.names.transfer("T2")
	b.unchanged("an effect with a failed write", func() {
		_, _, err := b.store.Complete(context.Background(), engine.Completion{Key: first.Key, Fence: first.Fence, Now: at(1)}, b.policy,
			func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
				reply, err := b.pays("T1", 10)(ctx, tx)
				if _, second := b.pays("T2", 10)(ctx, tx); second == nil {
					b.Error("the second transfer is no error")
				}
				return reply, err
			})
		if err == nil {
			b.Error("the completion is no error")
		}
	})
}

func effectTransferID(b *bundle) {
	b.keep(b.fresh(key("one"), bodyA, start), at(1), b.pays("T1", 10))
	second := b.fresh(key("two"), bodyA, start)
	b.unchanged("a transfer under a used id", func() {
		_, _, err := b.store.Complete(context.Background(), engine.Completion{Key: second.Key, Fence: second.Fence, Now: at(1)}, b.policy, b.pays("T1", 20))
		if err == nil {
			b.Error("a used transfer id is no error")
		}
	})
}

func effectTakeover(b *bundle) {
	old := b.fresh(key("k"), bodyA, start)
	next := b.fresh(key("k"), bodyA, start.Add(b.policy.Lease))
	b.keep(next, start.Add(b.policy.Lease), b.pays("T2", 10))
	if _, settled := b.complete(old, start.Add(b.policy.Lease), b.pays("T1", 10)); settled != engine.Lost {
		b.Errorf("the old worker is %v", settled)
	}
	b.balances(990, 60, 0)
}

func effectReleased(b *bundle) {
	b.policy.Stored = engine.StoreSuccess
	first := b.fresh(key("k"), bodyA, start)
	_, settled := b.complete(first, at(1), func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		return engine.Reply{Status: 500}, tx.PutDocument(ctx, "log", "1", []byte("tried"))
	})
	if settled != engine.Released {
		b.Errorf("completion is %v, want released", settled)
	}
	b.view(func(tx engine.Tx) error {
		if doc, err := tx.Document(context.Background(), "log", "1"); err != nil || string(doc) != "tried" {
			b.Errorf("document %q, %v", doc, err)
		}
		return nil
	})
}

func effectReads(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	b.keep(first, at(1), func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		reply, err := b.pays("T1", 100)(ctx, tx)
		if a, err := tx.Account(ctx, "A"); err != nil || a.Balance != 900 {
			b.Errorf("inside the effect A is %+v, %v", a, err)
		}
		if t, err := tx.Transfer(ctx, "T1"); err != nil || t == nil {
			b.Errorf("inside the effect the transfer is %v, %v", t, err)
		}
		if r, err := tx.Record(ctx, key("k")); err != nil || r == nil || r.State != engine.InProgress {
			b.Errorf("inside the effect the record is %+v, %v", r, err)
		}
		if r, err := tx.Record(ctx, key("none")); err != nil || r != nil {
			b.Errorf("inside the effect a key that is not there is %+v, %v", r, err)
		}
		return reply, err
	})
}

func effectDocuments(b *bundle) {
	put := func(kind, id string, doc []byte) {
		err := b.store.Update(context.Background(), func(tx engine.Tx) error {
			return tx.PutDocument(context.Background(), kind, id, doc)
		})
		if err != nil {
			b.Fatalf("put document: %v", err)
		}
	}
	get := func(id string) (doc []byte) {
		b.view(func(tx engine.Tx) (err error) {
			doc, err = tx.Document(context.Background(), "intent", id)
			return err
		})
		return doc
	}
	put("intent", "1", []byte("a\x00b"))
	put("intent1", "", []byte("other"))
	put("intent", "2", []byte{})
	if got := get("1"); string(got) != "a\x00b" {
		b.Errorf("document is %q", got)
	}
	if got := get("2"); got == nil || len(got) != 0 {
		b.Errorf("an empty document is %q, nil %v", got, got == nil)
	}
	if got := get("3"); got != nil {
		b.Errorf("a document that is not there is %q", got)
	}
	old := get("1")
	put("intent", "1", []byte("new"))
	if got := get("1"); string(got) != "new" || string(old) != "a\x00b" {
		b.Errorf("document is %q and was %q", got, old)
	}
}
