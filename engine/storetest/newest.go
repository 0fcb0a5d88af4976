package storetest

import (
	"context"
	"testing"
	"time"

	"idem/engine"
)

// Newest is for stores that outlive their process: which scope their keys are of
// is told by the record that was claimed last, also where its key is an older one
// and where what else it says is damaged.
func Newest(t *testing.T, store interface {
	engine.Store
	Newest(context.Context) (*engine.Record, error)
}, edit func(testing.TB, engine.Store, map[string]any)) {
	ctx := t.Context()
	if r, err := store.Newest(ctx); r != nil || err != nil {
		t.Fatalf("of an empty store: %+v, %v", r, err)
	}
	p := engine.DefaultPolicy()
	first := engine.ScopedKey{ClientID: "c", Endpoint: "e", Key: "z"}
	keys := []engine.ScopedKey{first, {Key: "\x00\xff"}, {ClientID: "c", Key: "a"}, first}
	for i, key := range keys {
		c := engine.Claim{Key: key, Fingerprint: engine.Fingerprint{byte(i)}, Now: start.Add(time.Duration(i) * p.Retention), Lease: p.Lease}
		v, err := store.Claim(ctx, c, p)
		if err != nil || v.Outcome != engine.Fresh {
			t.Fatalf("claim: %v, %v", v.Outcome, err)
		}
		if r, err := store.Newest(ctx); err != nil || r == nil || r.Key != key || !r.ClaimedAt.Equal(c.Now) {
			t.Errorf("after a claim of %+v: %+v, %v", key, r, err)
		}
	}
	edit(t, store, row{"fingerprint": make([]byte, len(engine.Fingerprint{}))})
	if r, err := store.Newest(ctx); err != nil || r == nil || r.Key != first {
		t.Errorf("of damaged records: %+v, %v; want the key all the same", r, err)
	}
}
