package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"idem/engine"
)

// testRace proves the promises under concurrency; run it with -race, too.
func testRace(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"one key":               raceOneKey,
		"many keys":             raceManyKeys,
		"one token, many times": raceComplete,
		"lives and takeovers":   raceLives,
	})
}

// together runs fn n times at once. fn must not end the test.
func together(n int, fn func(i int)) {
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-gate
			fn(i)
		})
	}
	ready.Wait()
	close(gate)
	done.Wait()
}

func raceOneKey(b *bundle) {
	for round := range 3 {
		c := b.request(key(fmt.Sprint(round)), bodyA, start)
		var fresh, inFlight atomic.Int32
		together(100, func(int) {
			switch v, err := b.store.Claim(context.Background(), c, b.policy); {
			case err != nil:
				b.Errorf("claim: %v", err)
			case v.Outcome == engine.Fresh:
				fresh.Add(1)
			case v.Outcome == engine.InFlight:
				inFlight.Add(1)
			}
		})
		if fresh.Load() != 1 || inFlight.Load() != 99 {
			b.Errorf("of 100 claims %d are fresh and %d in flight", fresh.Load(), inFlight.Load())
		}
	}
}

func raceManyKeys(b *bundle) {
	var mu sync.Mutex
	fences := map[engine.Fence]bool{}
	claims := make([]engine.Claim, 100)
	for i := range claims {
		claims[i] = b.request(key(fmt.Sprint(i)), bodyA, start)
	}
	together(100, func(i int) {
		v, err := b.store.Claim(context.Background(), claims[i], b.policy)
		if err != nil || v.Outcome != engine.Fresh {
			b.Errorf("claim %d: %v, %v", i, v.Outcome, err)
		}
		mu.Lock()
		defer mu.Unlock()
		fences[v.Record.Fence] = true
	})
	if len(fences) != 100 {
		b.Errorf("100 claims got %d tokens", len(fences))
	}
}

func raceComplete(b *bundle) {
	held := b.fresh(key("k"), bodyA, start)
	var kept, ran atomic.Int32
	together(50, func(i int) {
		id := fmt.Sprint("T", i)
		_, settled, err := b.store.Complete(context.Background(), engine.Completion{Key: held.Key, Fence: held.Fence, Now: at(1)}, b.policy,
			func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
				ran.Add(1)
				return engine.Reply{Status: 201}, tx.Post(ctx, engine.Transfer{ID: id, Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: start})
			})
		if err != nil {
			b.Errorf("complete: %v", err)
		}
		if settled == engine.Kept {
			kept.Add(1)
		}
	})
	if kept.Load() != 1 {
		b.Errorf("one claim was completed %d times", kept.Load())
	}
	b.balances(999, 51, 0)
}

// raceLives lets workers claim, complete and purge three keys while the leases
// lapse and the retention ends, and counts the transfers of each life.
func raceLives(b *bundle) {
	b.policy.Lease, b.policy.Retention = 3, 40
	claims := make([]engine.Claim, 3)
	for i := range claims {
		claims[i] = b.request(key(fmt.Sprint(i)), bodyA, start)
	}
	var clock, paid atomic.Int64
	var lives sync.Map
	together(8, func(worker int) {
		for i := range 60 {
			now := at(time.Duration(clock.Add(1)))
			c := claims[i%len(claims)]
			c.Now, c.Lease = now, b.policy.Lease
			v, err := b.store.Claim(context.Background(), c, b.policy)
			if err != nil {
				b.Errorf("claim: %v", err)
				return
			}
			if worker == 0 {
				if _, err := b.store.Purge(context.Background(), now, now, 2); err != nil {
					b.Errorf("purge: %v", err)
				}
			}
			if v.Outcome == engine.Fresh && b.pay(v.Record, fmt.Sprintf("T%d-%d", worker, i), at(time.Duration(clock.Load()))) {
				paid.Add(1)
				if other, twice := lives.LoadOrStore(v.Record.Life, worker); twice {
					b.Errorf("life %d paid twice, by workers %v and %d", v.Record.Life, other, worker)
				}
			}
		}
	})
	b.balances(1000-paid.Load(), 50+paid.Load(), 0)
	if paid.Load() == 0 {
		b.Error("nobody paid: the race proves nothing")
	}
}

// pay completes a claim with a transfer of 1 and reports whether it was kept.
func (b *bundle) pay(r engine.Record, id string, now time.Time) bool {
	_, settled, err := b.store.Complete(context.Background(), engine.Completion{Key: r.Key, Fence: r.Fence, Now: now}, b.policy,
		func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			return engine.Reply{Status: 201}, tx.Post(ctx, engine.Transfer{ID: id, Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: start})
		})
	if err != nil {
		b.Errorf("complete: %v", err)
	}
	return settled == engine.Kept
}
