package storetest

import (
	"context"
	"reflect"
	"testing"
	"time"

	"idem/engine"
)

// Newest is for stores that outlive their process: which scope their keys are of
// is told by the record that came last, with all that it says.
func Newest(t *testing.T, store interface {
	engine.Store
	Newest(context.Context) (*engine.Record, error)
}) {
	ctx := t.Context()
	if r, err := store.Newest(ctx); r != nil || err != nil {
		t.Fatalf("of an empty store: %+v, %v", r, err)
	}
	p := engine.DefaultPolicy()
	for i, key := range []engine.ScopedKey{{ClientID: "c", Endpoint: "e", Key: "z"}, {Key: "\x00\xff"}, {ClientID: "c", Key: "a"}} {
		c := engine.Claim{Key: key, Fingerprint: engine.Fingerprint{byte(i)}, Now: at(time.Duration(i)), Lease: p.Lease}
		v, err := store.Claim(ctx, c, p)
		if err != nil || v.Outcome != engine.Fresh {
			t.Fatalf("claim: %v, %v", v.Outcome, err)
		}
		if r, err := store.Newest(ctx); err != nil || r == nil || !reflect.DeepEqual(*r, v.Record) {
			t.Errorf("after a claim of %+v: %+v, %v", key, r, err)
		}
	}
}
