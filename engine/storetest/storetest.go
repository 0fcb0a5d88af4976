// Package storetest is the one suite that each store must pass. A store runs it
// from a test of its own:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, storetest.Factory{New: func(tb testing.TB) engine.Store { return memstore.New() }})
//	}
//
// No test here sleeps or reads the wall clock: times go in through the calls.
// [Model] is the reference that random commands are compared with; it restates
// the rules and shares no code with the engine's.
package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"idem/engine"
)

// Factory makes the stores under test.
type Factory struct {
	// New returns an empty store of its own for each call. The suite closes it.
	New func(testing.TB) engine.Store
	// Dump, if there is one, writes out all that the store holds, in a fixed
	// order, from below its interface. It sees what no View shows, such as
	// a counter that moved.
	Dump func(testing.TB, engine.Store) string
	// Edit, if there is one, sets columns of every record that the store holds,
	// from below its interface: an int64, a string, bytes, a bool or nil each.
	Edit func(tb testing.TB, s engine.Store, columns map[string]any)
}

// Run runs the suite.
func Run(t *testing.T, f Factory) {
	topics := []struct {
		name string
		test func(*testing.T, Factory)
	}{
		{"claim", testClaim},
		{"complete", testComplete},
		{"takeover", testTakeover},
		{"purge", testPurge},
		{"effect", testEffect},
		{"ledger", testLedger},
		{"fidelity", testFidelity},
		{"lifecycle", testLifecycle},
		{"damage", testDamage},
		{"race", testRace},
		{"model", testModel},
	}
	for _, topic := range topics {
		t.Run(topic.name, func(t *testing.T) { topic.test(t, f) })
	}
}

// start is when every test begins.
var start = time.Date(2026, 3, 2, 9, 0, 0, 123456789, time.UTC)

// at is d after start.
func at(d time.Duration) time.Time { return start.Add(d) }

// bundle is a fresh store and the shortest words for what is done with it. A
// failure of the store where the test expects none ends the test.
type bundle struct {
	testing.TB
	f      Factory
	store  engine.Store
	policy engine.Policy
	names  names
}

func newBundle(tb testing.TB, f Factory) *bundle {
	tb.Helper()
	b := &bundle{TB: tb, f: f, store: f.New(tb), policy: engine.DefaultPolicy()}
	tb.Cleanup(func() {
		if err := b.store.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	b.names.accounts = []string{"A", "B", "7"}
	err := b.store.Update(context.Background(), func(tx engine.Tx) error {
		for _, a := range []engine.Account{{ID: "A", Holder: "Ann", Balance: 1000}, {ID: "B", Balance: 50}, {ID: "7", Integer: true, Holder: "seven"}} {
			if err := tx.OpenAccount(context.Background(), a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatalf("open accounts: %v", err)
	}
	return b
}

// each runs subtests, each with a fresh bundle.
func each(t *testing.T, f Factory, tests map[string]func(*bundle)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newBundle(t, f))
		})
	}
}

func key(name string) engine.ScopedKey {
	return engine.ScopedKey{ClientID: "shop", Endpoint: "POST /v1/transfers", Key: name}
}

// request is the claim of a key with a body at an instant.
func (b *bundle) request(k engine.ScopedKey, body string, now time.Time) engine.Claim {
	b.Helper()
	r := engine.Request{ClientID: k.ClientID, Endpoint: k.Endpoint, Key: k.Key, Body: []byte(body)}
	c, err := b.policy.Claim(r, now)
	if err != nil {
		b.Fatal(err)
	}
	c.Key = k
	b.names.key(k)
	return c
}

func (b *bundle) claim(k engine.ScopedKey, body string, now time.Time) engine.Verdict {
	b.Helper()
	v, err := b.store.Claim(context.Background(), b.request(k, body, now), b.policy)
	if err != nil {
		b.Fatalf("claim: %v", err)
	}
	return v
}

// fresh claims and insists on getting the key.
func (b *bundle) fresh(k engine.ScopedKey, body string, now time.Time) engine.Record {
	b.Helper()
	v := b.claim(k, body, now)
	if v.Outcome != engine.Fresh {
		b.Fatalf("claim at %s is %v, want fresh", engine.FormatInstant(now), v.Outcome)
	}
	return v.Record
}

func (b *bundle) complete(r engine.Record, now time.Time, effect engine.Effect) (engine.Record, engine.Settlement) {
	b.Helper()
	done, settled, err := b.store.Complete(context.Background(), engine.Completion{Key: r.Key, Fence: r.Fence, Now: now}, b.policy, effect)
	if err != nil {
		b.Fatalf("complete: %v", err)
	}
	return done, settled
}

// keep completes and insists that the reply was stored.
func (b *bundle) keep(r engine.Record, now time.Time, effect engine.Effect) engine.Record {
	b.Helper()
	done, settled := b.complete(r, now, effect)
	if settled != engine.Kept {
		b.Fatalf("complete is %v, want kept", settled)
	}
	return done
}

// record reads what is committed.
func (b *bundle) record(k engine.ScopedKey) (r *engine.Record) {
	b.Helper()
	b.view(func(tx engine.Tx) (err error) {
		r, err = tx.Record(context.Background(), k)
		return err
	})
	return r
}

func (b *bundle) view(fn func(engine.Tx) error) {
	b.Helper()
	if err := b.store.View(context.Background(), fn); err != nil {
		b.Fatalf("view: %v", err)
	}
}

// unchanged runs fn and insists that it wrote nothing.
func (b *bundle) unchanged(what string, fn func()) {
	b.Helper()
	before := b.dump()
	fn()
	if after := b.dump(); after != before {
		b.Errorf("%s wrote:\n%s\nwas:\n%s", what, after, before)
	}
}

var errEffect = errors.New("the effect failed")

// replies makes an effect that only answers.
func replies(r engine.Reply) engine.Effect {
	return func(context.Context, engine.Tx) (engine.Reply, error) { return r, nil }
}

// pays makes an effect that moves amount from A to B as transfer id.
func (b *bundle) pays(id string, amount int64) engine.Effect {
	b.names.transfer(id)
	return func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		t := engine.Transfer{ID: id, Src: "A", Dst: "B", Amount: amount, Currency: "KRW", CreatedAt: start}
		if err := tx.Post(ctx, t); err != nil {
			return engine.Reply{}, err
		}
		return engine.Reply{Status: 201, Body: []byte(id)}, nil
	}
}

// forbidden is an effect that must not run.
func (b *bundle) forbidden(context.Context, engine.Tx) (engine.Reply, error) {
	b.Error("the effect ran")
	return engine.Reply{Status: 201}, nil
}
