package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"idem/engine"
)

func (b *bundle) purge(cutoff, now time.Time, limit int) int {
	b.Helper()
	n, err := b.store.Purge(context.Background(), cutoff, now, limit)
	if err != nil {
		b.Fatalf("purge: %v", err)
	}
	return n
}

// testPurge proves what a purge takes, and that no answer depends on whether it
// has run.
func testPurge(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"what is old and finished":  purgeTakes,
		"by pieces":                 purgePieces,
		"the answer is the same":    purgeInvisible,
		"the money stays explained": purgeKeepsTransfers,
		"cutoffs far away":          purgeFar,
	})
}

func purgeTakes(b *bundle) {
	lease := b.policy.Lease
	b.keep(b.fresh(key("completed before"), bodyA, at(-1)), start, replies(engine.Reply{Status: 201}))
	b.keep(b.fresh(key("completed at cutoff"), bodyA, start), start, replies(engine.Reply{Status: 201}))
	b.fresh(key("lapsed before"), bodyA, at(-1))
	b.fresh(key("lapsed at cutoff"), bodyA, start)
	b.policy.Lease = lease + 1
	b.fresh(key("lapses next"), bodyA, at(-1)) // its lease ends at lease + 0
	b.policy.Lease = lease + 2
	b.fresh(key("live before"), bodyA, at(-1))
	if n := b.purge(start, start.Add(lease), 100); n != 3 {
		b.Errorf("purged %d, want 3", n)
	}
	for name, stays := range map[string]bool{
		"completed before": false, "completed at cutoff": true, "lapsed before": false, "lapsed at cutoff": true,
		"lapses next": false, "live before": true,
	} {
		if got := b.record(key(name)) != nil; got != stays {
			b.Errorf("%s: stays %v, want %v", name, got, stays)
		}
	}
}

func purgePieces(b *bundle) {
	for i := range 7 {
		b.keep(b.fresh(key(fmt.Sprint(i)), bodyA, at(time.Duration(i))), start, replies(engine.Reply{Status: 201}))
	}
	var got []int
	for _, limit := range []int{0, -1, 3, 3, 3, 3} {
		got = append(got, b.purge(at(time.Hour), at(time.Hour), limit))
	}
	if want := "[0 0 3 3 1 0]"; fmt.Sprint(got) != want {
		b.Errorf("purged %v, want %s", got, want)
	}
}

// purgeInvisible sends the same requests to a store that is purged whenever it
// can be and to one that never is.
func purgeInvisible(b *bundle) {
	other := newBundle(b.TB, b.f)
	for i := range 60 {
		now := start.Add(time.Duration(i) * b.policy.Retention / 7)
		cutoff, _ := b.policy.PurgeCutoff(now)
		b.purge(cutoff, now, 100)
		k := key(fmt.Sprint(i % 3))
		one, two := b.claim(k, bodyA, now), other.claim(k, bodyA, now)
		if one.Outcome != two.Outcome || one.Record.Attempt != two.Record.Attempt {
			b.Fatalf("step %d: purged %v, unpurged %v", i, one, two)
		}
		if one.Outcome == engine.Fresh && i%2 == 0 {
			_, oneSettled := b.complete(one.Record, now, replies(engine.Reply{Status: 201}))
			if _, twoSettled := other.complete(two.Record, now, replies(engine.Reply{Status: 201})); oneSettled != twoSettled {
				b.Fatalf("step %d: purged %v, unpurged %v", i, oneSettled, twoSettled)
			}
		}
	}
}

func purgeKeepsTransfers(b *bundle) {
	b.keep(b.fresh(key("k"), bodyA, start), start, b.pays("T1", 10))
	b.purge(at(1), at(1), 10)
	b.view(func(tx engine.Tx) error {
		t, err := tx.Transfer(context.Background(), "T1")
		if err == nil && t == nil {
			b.Error("the transfer went with its key")
		}
		return err
	})
	b.keep(b.fresh(key("k"), bodyA, at(2)), at(2), b.pays("T2", 10))
}

func purgeFar(b *bundle) {
	b.keep(b.fresh(key("k"), bodyA, start), start, replies(engine.Reply{Status: 201}))
	if n := b.purge(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), start, 10); n != 0 {
		b.Errorf("a purge before the year 1 took %d", n)
	}
	if n := b.purge(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), start, 10); n != 1 {
		b.Errorf("a purge before the year 9999 took %d", n)
	}
}
