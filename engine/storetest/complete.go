package storetest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"idem/engine"
)

// testComplete proves that only the token of the claim in progress writes, and
// what becomes of the record.
func testComplete(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"a kept reply":            completeKept,
		"a token that is not it":  completeStale,
		"the boundaries":          completeBoundaries,
		"replies by their policy": completePolicies,
		"a failed effect":         completeFailed,
		"a panic":                 completePanics,
	})
}

func completeKept(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	reply := engine.Reply{Status: 201, Body: []byte("made")}
	done := b.keep(first, at(5), replies(reply))
	want := first
	want.State, want.CompletedAt, want.Reply = engine.Completed, at(5), reply
	if !reflect.DeepEqual(done, want) {
		b.Errorf("completed record %+v, want %+v", done, want)
	}
	if got := b.record(key("k")); got == nil || !reflect.DeepEqual(*got, want) {
		b.Errorf("stored %+v, want %+v", got, want)
	}
	if v := b.claim(key("k"), bodyA, at(6)); !reflect.DeepEqual(v.Record, want) {
		b.Errorf("replayed %+v, want %+v", v.Record, want)
	}
}

func completeStale(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	other := b.fresh(key("other"), bodyA, start)
	done := b.fresh(key("done"), bodyA, start)
	b.keep(done, start, replies(engine.Reply{Status: 201}))
	stale := map[string]engine.Record{
		"no token":            {Key: first.Key},
		"another key's token": {Key: first.Key, Fence: other.Fence},
		"a token to come":     {Key: first.Key, Fence: first.Fence + 1000},
		"a negative token":    {Key: first.Key, Fence: -first.Fence},
		"a key without claim": {Key: key("never"), Fence: first.Fence},
		"a claim completed":   done,
	}
	for name, r := range stale {
		b.unchanged(name, func() {
			if _, settled := b.complete(r, at(1), b.forbidden); settled != engine.Lost {
				b.Errorf("%s: completion is %v, want lost", name, settled)
			}
		})
	}
}

func completeBoundaries(b *bundle) {
	lease, retention := b.policy.Lease, b.policy.Retention
	for after, want := range map[time.Duration]engine.Settlement{
		0: engine.Kept, lease - 1: engine.Kept, lease: engine.Kept, lease + 1: engine.Kept, // nobody took over
		retention - 1: engine.Kept, retention: engine.Lost, retention + 1: engine.Lost, // a purge may have run
	} {
		k := key(after.String())
		first := b.fresh(k, bodyA, start)
		effect := replies(engine.Reply{Status: 201})
		if want == engine.Lost {
			effect = b.forbidden
		}
		if _, settled := b.complete(first, start.Add(after), effect); settled != want {
			b.Errorf("completion %v after the claim is %v, want %v", after, settled, want)
		}
	}
	// Past retention the claim still holds while its lease runs.
	b.policy.Lease = retention + 2
	first := b.fresh(key("long lease"), bodyA, start)
	b.keep(first, start.Add(retention+1), replies(engine.Reply{Status: 201}))
}

func completePolicies(b *bundle) {
	for stored, kept := range map[engine.StoredReplies][]int{
		engine.StoreAll:     {200, 201, 204, 302, 402, 409, 422, 500, 503},
		engine.StoreNot5xx:  {200, 201, 204, 302, 402, 409, 422},
		engine.StoreSuccess: {200, 201, 204},
	} {
		b.policy.Stored = stored
		for _, status := range []int{200, 201, 204, 302, 402, 409, 422, 500, 503} {
			b.completePolicy(stored, status, slices.Contains(kept, status))
		}
	}
}

func (b *bundle) completePolicy(stored engine.StoredReplies, status int, kept bool) {
	k := key(string(stored) + time.Duration(status).String())
	first := b.fresh(k, bodyA, start)
	done, settled := b.complete(first, at(1), replies(engine.Reply{Status: status}))
	if kept {
		if v := b.claim(k, bodyA, at(2)); settled != engine.Kept || v.Outcome != engine.Replay || v.Record.Reply.Status != status {
			b.Errorf("%s keeps %d: %v, then %v of %d", stored, status, settled, v.Outcome, v.Record.Reply.Status)
		}
		return
	}
	if settled != engine.Released || !reflect.DeepEqual(done, engine.Record{}) || b.record(k) != nil {
		b.Errorf("%s releases %d: %v, %+v, record %+v", stored, status, settled, done, b.record(k))
	}
	// The next request is new, another body too, and the old token is dead.
	again := b.fresh(k, bodyB, at(2))
	if again.Attempt != 1 || again.Fence == first.Fence {
		b.Errorf("after a release: %+v, first %+v", again, first)
	}
	if _, settled := b.complete(first, at(3), b.forbidden); settled != engine.Lost {
		b.Errorf("the released token completes: %v", settled)
	}
}

func completeFailed(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	b.names.transfer("T1")
	b.names.document("kind", "id")
	b.unchanged("a failed effect", func() {
		_, _, err := b.store.Complete(context.Background(), engine.Completion{Key: first.Key, Fence: first.Fence, Now: at(1)}, b.policy,
			func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
				if _, err := b.pays("T1", 10)(ctx, tx); err != nil {
					b.Errorf("pay: %v", err)
				}
				if err := tx.PutDocument(ctx, "kind", "id", []byte("doc")); err != nil {
					b.Errorf("put document: %v", err)
				}
				return engine.Reply{Status: 201}, errEffect
			})
		if !errors.Is(err, errEffect) {
			b.Errorf("the effect's error came back as %v", err)
		}
	})
	// The claim stands as it was, and its worker may try again.
	b.keep(first, at(2), b.pays("T1", 10))
}

func completePanics(b *bundle) {
	first := b.fresh(key("k"), bodyA, start)
	b.names.transfer("T1")
	b.unchanged("an effect that panicked", func() {
		defer func() {
			if got := recover(); got != "boom" {
				b.Errorf("the panic came back as %v", got)
			}
		}()
		b.complete(first, at(1), func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			if _, err := b.pays("T1", 10)(ctx, tx); err != nil {
				b.Errorf("pay: %v", err)
			}
			panic("boom")
		})
	})
	b.keep(first, at(2), b.pays("T1", 10))
}
