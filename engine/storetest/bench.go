package storetest

import (
	"context"
	"strconv"
	"testing"

	"idem/engine"
)

// Bench measures each call of a store by itself, one caller, with what it
// allocates. The store must be empty but for accounts.
func Bench(b *testing.B, s engine.Store) {
	ctx, p := context.Background(), engine.DefaultPolicy()
	err := s.Update(ctx, func(tx engine.Tx) error {
		for _, id := range []string{"bench-A", "bench-B"} {
			if err := tx.OpenAccount(ctx, engine.Account{ID: id, Balance: 1 << 60}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	calls := &bencher{s: s, p: p}
	b.Run("claim", func(b *testing.B) { calls.fresh(b) })
	b.Run("complete", func(b *testing.B) { calls.complete(b) })
	b.Run("replay", func(b *testing.B) { calls.again(b, "done", bodyA, engine.Replay) })
	b.Run("mismatch", func(b *testing.B) { calls.again(b, "done", bodyB, engine.Mismatch) })
	b.Run("in flight", func(b *testing.B) { calls.again(b, "running", bodyA, engine.InFlight) })
}

type bencher struct {
	s    engine.Store
	p    engine.Policy
	next int
}

func (c *bencher) claim(b *testing.B, name, body string) engine.Claim {
	k := key(name)
	claim, err := c.p.Claim(engine.Request{ClientID: k.ClientID, Endpoint: k.Endpoint, Key: name, Body: []byte(body)}, start)
	if err != nil {
		b.Fatal(err)
	}
	return claim
}

func (c *bencher) send(b *testing.B, claim engine.Claim) engine.Verdict {
	v, err := c.s.Claim(context.Background(), claim, c.p)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// new is a claim of a key that was never used.
func (c *bencher) new(b *testing.B) engine.Claim {
	c.next++
	return c.claim(b, "bench-"+strconv.Itoa(c.next), bodyA)
}

func (c *bencher) fresh(b *testing.B) {
	one := c.new(b)
	b.ReportAllocs()
	for b.Loop() {
		c.next++
		one.Key.Key = "bench-" + strconv.Itoa(c.next)
		if v := c.send(b, one); v.Outcome != engine.Fresh {
			b.Fatal(v.Outcome)
		}
	}
}

func (c *bencher) complete(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		v := c.send(b, c.new(b))
		b.StartTimer()
		c.pay(b, v.Record)
	}
}

func (c *bencher) pay(b *testing.B, r engine.Record) {
	id := "T" + r.Key.Key
	_, settled, err := c.s.Complete(context.Background(), engine.Completion{Key: r.Key, Fence: r.Fence, Now: start}, c.p,
		func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			t := engine.Transfer{ID: id, Src: "bench-A", Dst: "bench-B", Amount: 1, Currency: "KRW", CreatedAt: start}
			return engine.Reply{Status: 201, Body: []byte(bodyA)}, tx.Post(ctx, t)
		})
	if err != nil || settled != engine.Kept {
		b.Fatal(settled, err)
	}
}

// again sends one claim over and over.
func (c *bencher) again(b *testing.B, name, body string, want engine.Outcome) {
	if v := c.send(b, c.claim(b, name, bodyA)); v.Outcome == engine.Fresh && want != engine.InFlight {
		c.pay(b, v.Record)
	}
	claim := c.claim(b, name, body)
	b.ReportAllocs()
	for b.Loop() {
		if v := c.send(b, claim); v.Outcome != want {
			b.Fatal(v.Outcome)
		}
	}
}
