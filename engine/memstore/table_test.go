package memstore

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"idem/engine"

	"pgregory.net/rapid"
)

func TestPackedRecordsComeBackAsTheyWere(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "\x00", "a:b", "\xff\xfe"}), rapid.String())
	instant := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-1<<35, 1<<35).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
	})
	rapid.Check(t, func(t *rapid.T) {
		want := engine.Record{
			Key:       engine.ScopedKey{ClientID: text.Draw(t, "client"), Endpoint: text.Draw(t, "endpoint"), Key: text.Draw(t, "key")},
			State:     rapid.SampledFrom([]engine.State{engine.InProgress, engine.Completed}).Draw(t, "state"),
			Life:      engine.Fence(rapid.Int64().Draw(t, "life")),
			Fence:     engine.Fence(rapid.Int64().Draw(t, "fence")),
			Attempt:   rapid.Int().Draw(t, "attempt"),
			ClaimedAt: instant.Draw(t, "claimed"), LeaseUntil: instant.Draw(t, "lease"),
			CompletedAt: rapid.OneOf(rapid.Just(time.Time{}), instant).Draw(t, "completed"),
			Reply: engine.Reply{
				Status: rapid.Int().Draw(t, "status"), Reason: text.Draw(t, "reason"), NotKept: rapid.Bool().Draw(t, "not kept"),
				Body: rapid.OneOf(rapid.Just([]byte(nil)), rapid.SliceOf(rapid.Byte())).Draw(t, "body"),
			},
		}
		copy(want.Fingerprint[:], rapid.SliceOfN(rapid.Byte(), 33, 33).Draw(t, "fingerprint"))
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			want.Reply.Header = append(want.Reply.Header, engine.Field{Name: text.Draw(t, "name"), Value: text.Draw(t, "value")})
		}
		p := pack(&want)
		if got := p.record(); !reflect.DeepEqual(got, want) {
			t.Fatalf("packed %+v, unpacked %+v", want, got)
		}
		if !p.has(appendKey(nil, want.Key)) {
			t.Fatal("it does not know its key")
		}
	})
}

func TestBodyIsKeptWithoutItsBuffer(t *testing.T) {
	for _, c := range []struct {
		length, capacity int
		shared           bool
	}{{1000, 1000, true}, {1000, 1100, true}, {1000, 2000, false}, {0, 0, true}, {0, 1 << 20, false}} {
		body := make([]byte, c.length, c.capacity)
		kept := snug(body)
		if shared := cap(kept) == c.capacity; len(kept) != c.length || kept == nil || shared != c.shared {
			t.Errorf("%d of %d bytes: shared %v", c.length, c.capacity, shared)
		}
	}
	if snug(nil) != nil {
		t.Error("no body has become an empty one")
	}
}

// A map is the model. Hashes are few, so that keys meet in all of them.
func TestTableOfFewHashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, model := newTable(), map[string]int{}
		hash := func(key []byte) uint64 { return uint64(key[len(key)-1]) % 3 }
		for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
			k := engine.ScopedKey{Key: fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "key"))}
			key := appendKey(nil, k)
			at := table.find(hash(key), key)
			if attempt, known := model[k.Key]; known != (at != 0) || known && table.read(at).Attempt != attempt {
				t.Fatalf("step %d: key %s is at %d, known %v", step, k.Key, at, known)
			}
			switch op := rapid.SampledFrom([]string{"put", "put", "remove", "purge"}).Draw(t, "op"); {
			case op == "put":
				table.put(hash(key), at, pack(&engine.Record{Key: k, Attempt: step}))
				model[k.Key] = step
			case op == "remove" && at != 0:
				table.remove(hash(key), at)
				delete(model, k.Key)
			case op == "purge":
				limit := rapid.IntRange(0, 3).Draw(t, "limit")
				purged := table.purge(limit, hash, func(r *engine.Record) bool {
					old := r.Attempt < step-10
					if old {
						delete(model, r.Key.Key)
					}
					return old
				})
				if purged > limit {
					t.Fatalf("step %d: purged %d, limit %d", step, purged, limit)
				}
			}
		}
		for _, name := range slices.Collect(maps.Keys(model)) {
			key := appendKey(nil, engine.ScopedKey{Key: name})
			if table.find(hash(key), key) == 0 {
				t.Fatalf("key %s is lost", name)
			}
		}
		if len(table.rows) > 14 {
			t.Fatalf("%d rows for 13 keys: free ones are not used again", len(table.rows))
		}
	})
}
