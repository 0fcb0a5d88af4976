package storetest

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"idem/engine"
)

// row is what an edit makes of a record's columns.
type row = map[string]any

// edits are one for each column of a record, in whichever state it is.
var edits = map[string]row{
	"client_id":          {"client_id": "another"},
	"endpoint":           {"endpoint": "another"},
	"idem_key":           {"idem_key": "another"},
	"fingerprint":        {"fingerprint": make([]byte, len(engine.Fingerprint{}))},
	"life":               {"life": int64(1 << 40)},
	"fence":              {"fence": int64(1 << 40)},
	"attempt":            {"attempt": int64(7)},
	"claimed_at":         {"claimed_at": start.UnixNano() + 1},
	"lease_until":        {"lease_until": start.UnixNano() + 1},
	"checksum":           {"checksum": make([]byte, len(engine.Checksum{}))},
	"a shorter checksum": {"checksum": []byte{}},
}

// replyEdits are those of the columns that only a completed record has.
var replyEdits = map[string]row{
	"state":        {"state": "in_progress", "completed_at": nil},
	"completed_at": {"completed_at": start.UnixNano()},
	"status":       {"status": int64(200)},
	"reason":       {"reason": "another"},
	"header":       {"header": `[["N","v"]]`},
	"no header":    {"header": nil},
	"body":         {"body": []byte("bodx")},
	"no body":      {"body": nil},
	"empty body":   {"body": []byte{}},
	"not_kept":     {"not_kept": true},
}

// testDamage proves that a record which is not what was stored is handed to
// nobody: no retry, no worker, no reader. One without a checksum, as older
// versions wrote it, is.
func testDamage(t *testing.T, f Factory) {
	if f.Edit == nil {
		t.Skip("what this store holds cannot be edited from below")
	}
	completed := maps.Clone(edits)
	maps.Copy(completed, replyEdits)
	for state, cases := range map[string]map[string]row{"in progress": edits, "completed": completed} {
		for name, columns := range cases {
			t.Run(state+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := newBundle(t, f)
				b.used(movedKey(columns))
				held := b.damageable(state)
				f.Edit(t, b.store, columns)
				b.damaged(held, columns)
			})
		}
	}
	t.Run("no checksum", func(t *testing.T) {
		b := newBundle(t, f)
		b.damageable("completed")
		f.Edit(t, b.store, row{"checksum": nil})
		if v := b.claim(key("k"), bodyA, at(2)); v.Outcome != engine.Replay {
			t.Errorf("a retry of an older version's record is %v, want its replay", v.Outcome)
		}
	})
}

// used makes a key one that the store has had: it need not look for others.
func (b *bundle) used(k engine.ScopedKey) {
	if k == key("k") {
		return
	}
	b.fresh(k, bodyA, start.Add(-time.Hour))
	if n, err := b.store.Purge(context.Background(), start, start, 1); n != 1 || err != nil {
		b.Fatalf("purged %d, %v", n, err)
	}
}

// damageable makes the one record of a store.
func (b *bundle) damageable(state string) engine.Record {
	held := b.fresh(key("k"), bodyA, start)
	if state == "completed" {
		b.keep(held, at(1), replies(engine.Reply{Status: 201, Body: []byte("body"), Header: []engine.Field{{Name: "N", Value: "V"}}}))
	}
	return held
}

// damaged asks for the record in every way, also where an edit moved it.
func (b *bundle) damaged(held engine.Record, columns row) {
	ctx, k := context.Background(), movedKey(columns)
	_, err := b.store.Claim(ctx, b.request(k, bodyA, at(2)), b.policy)
	b.wantDamaged("a retry", err)
	_, err = b.store.Claim(ctx, b.request(k, bodyA, start.Add(b.policy.Retention)), b.policy)
	b.wantDamaged("a retry after its time", err)
	_, _, err = b.store.Complete(ctx, engine.Completion{Key: k, Fence: held.Fence, Now: at(2)}, b.policy, b.forbidden)
	b.wantDamaged("its worker", err)
	err = b.store.View(ctx, func(tx engine.Tx) error {
		_, err := tx.Record(ctx, k)
		return err
	})
	b.wantDamaged("a reader", err)
}

func (b *bundle) wantDamaged(who string, err error) {
	b.Helper()
	if !errors.Is(err, engine.ErrDamaged) {
		b.Errorf("%s gets %v, want ErrDamaged", who, err)
	}
}

func movedKey(columns row) engine.ScopedKey {
	k := key("k")
	for column, part := range map[string]*string{"client_id": &k.ClientID, "endpoint": &k.Endpoint, "idem_key": &k.Key} {
		if text, moved := columns[column].(string); moved {
			*part = text
		}
	}
	return k
}
