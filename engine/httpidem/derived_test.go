package httpidem_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
)

// TestDerivedKey: attempts under one life of a key ask others by one key, and
// everything else by another.
func TestDerivedKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // two attempts run at once
		var got []string
		note := func(key string) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, key)
		}
		var attempts atomic.Int64
		r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, req *http.Request) {
			note(httpidem.DerivedKey(req.Context(), "charge"))
			if attempts.Add(1) == 1 { // a worker that dies in the middle: its claim stays
				time.Sleep(time.Hour)
			}
			note(httpidem.DerivedKey(req.Context(), "mail"))
			created(w, req)
		})
		policy := engine.HTTPPolicy()
		go r.post("k", "body")
		time.Sleep(policy.Lease + time.Second)
		want(t, r.post("k", "body"), http.StatusCreated, "") // the takeover
		time.Sleep(policy.Retention)
		want(t, r.post("k", "body"), http.StatusCreated, "") // a new life
		want(t, r.post("k2", "body"), http.StatusCreated, "")
		want(t, r.post("k", "body", as("another")), http.StatusCreated, "")
		mu.Lock()
		defer mu.Unlock()
		// The first attempt's charge, both calls of the takeover, then the mail of the
		// first attempt, which still holds what it was given; and two of each other.
		if len(got) != 10 || len(got[0]) != 64 || got[0] != got[1] || got[2] != got[3] {
			t.Fatalf("%d keys: %q", len(got), got)
		}
		seen := map[string]bool{}
		for _, key := range append(got[1:3], got[4:]...) {
			if seen[key] {
				t.Errorf("two calls share %s", key)
			}
			seen[key] = true
		}
	})
}

func TestDerivedKeyNeedsAClaim(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("there is a key without a claim")
		}
	}()
	httpidem.DerivedKey(context.Background(), "charge")
}
