package storetest

import (
	"context"
	"math"
	"testing"

	"idem/engine"
)

// testLedger proves that accounts compare by their text and that money is
// neither made nor lost.
func testLedger(t *testing.T, f Factory) {
	each(t, f, map[string]func(*bundle){
		"accounts by their text":  ledgerAccounts,
		"opening again":           ledgerOpenAgain,
		"an overdrawn account":    ledgerOverdrawn,
		"what Post does not post": ledgerRefuses,
		"the largest balance":     ledgerLargest,
		"a failed update":         ledgerUpdate,
		"a view writes nothing":   ledgerView,
		"Pay":                     ledgerPay,
	})
}

func (b *bundle) update(fn func(context.Context, engine.Tx) error) error {
	ctx := context.Background()
	return b.store.Update(ctx, func(tx engine.Tx) error { return fn(ctx, tx) })
}

func ledgerAccounts(b *bundle) {
	want := map[string]*engine.Account{
		"A": {ID: "A", Holder: "Ann", Balance: 1000}, "7": {ID: "7", Integer: true, Holder: "seven"},
		"a": nil, "07": nil, "7.0": nil, "7 ": nil, " 7": nil, "": nil, "+7": nil, "7e0": nil, "0": nil,
	}
	b.view(func(tx engine.Tx) error {
		for id, want := range want {
			got, err := tx.Account(context.Background(), id)
			if err != nil || (got == nil) != (want == nil) || (got != nil && *got != *want) {
				b.Errorf("account %q is %+v, %v; want %+v", id, got, err, want)
			}
		}
		return nil
	})
	err := b.update(func(ctx context.Context, tx engine.Tx) error {
		return tx.Post(ctx, engine.Transfer{ID: "T1", Src: "A", Dst: "7", Amount: 3, Currency: "KRW", CreatedAt: start})
	})
	if err != nil {
		b.Errorf("post to an account with an integer id: %v", err)
	}
	b.balances(997, 50, 3)
}

func ledgerOpenAgain(b *bundle) {
	open := func(a engine.Account) error {
		return b.update(func(ctx context.Context, tx engine.Tx) error { return tx.OpenAccount(ctx, a) })
	}
	b.unchanged("opening an account again", func() {
		if err := open(engine.Account{ID: "A", Holder: "Ann", Balance: 1000}); err != nil {
			b.Errorf("with the same figures: %v", err)
		}
		for _, a := range []engine.Account{
			{ID: "A", Holder: "Ann", Balance: 1}, {ID: "A", Holder: "Bob", Balance: 1000}, {ID: "7", Holder: "seven"},
			{ID: "new", Integer: true}, {ID: "08", Integer: true}, {ID: "", Integer: true},
		} {
			if open(a) == nil {
				b.Errorf("opened %+v", a)
			}
		}
	})
}

func ledgerRefuses(b *bundle) {
	for name, t := range map[string]engine.Transfer{
		"no amount":       {Src: "A", Dst: "B"},
		"below zero":      {Src: "A", Dst: "B", Amount: -1},
		"too much":        {Src: "A", Dst: "B", Amount: 1001},
		"to itself":       {Src: "A", Dst: "A", Amount: 1},
		"unknown source":  {Src: "X", Dst: "B", Amount: 1},
		"unknown target":  {Src: "A", Dst: "X", Amount: 1},
		"the least there": {Src: "A", Dst: "B", Amount: math.MinInt64},
	} {
		t.ID, t.Currency, t.CreatedAt = "T-"+name, "KRW", start
		b.names.transfer(t.ID)
		b.unchanged(name, func() {
			if err := b.update(func(ctx context.Context, tx engine.Tx) error { return tx.Post(ctx, t) }); err == nil {
				b.Errorf("%s was posted", name)
			}
		})
	}
}

func ledgerLargest(b *bundle) {
	b.names.accounts = append(b.names.accounts, "rich")
	err := b.update(func(ctx context.Context, tx engine.Tx) error {
		return tx.OpenAccount(ctx, engine.Account{ID: "rich", Balance: math.MaxInt64 - 10})
	})
	if err != nil {
		b.Fatal(err)
	}
	b.names.transfer("T1")
	post := func(id string, amount int64) error {
		return b.update(func(ctx context.Context, tx engine.Tx) error {
			return tx.Post(ctx, engine.Transfer{ID: id, Src: "A", Dst: "rich", Amount: amount, Currency: "KRW", CreatedAt: start})
		})
	}
	b.unchanged("a balance beyond 64 bits", func() {
		if post("T1", 11) == nil {
			b.Error("was posted")
		}
	})
	if err := post("T2", 10); err != nil {
		b.Errorf("a balance of the largest integer: %v", err)
	}
	b.view(func(tx engine.Tx) error {
		if a, err := tx.Account(context.Background(), "rich"); err != nil || a.Balance != math.MaxInt64 {
			b.Errorf("rich has %+v, %v", a, err)
		}
		return nil
	})
}

func ledgerUpdate(b *bundle) {
	b.names.accounts = append(b.names.accounts, "new")
	b.names.transfer("T1")
	b.unchanged("a failed update", func() {
		err := b.update(func(ctx context.Context, tx engine.Tx) error {
			if err := tx.OpenAccount(ctx, engine.Account{ID: "new", Balance: 5}); err != nil {
				b.Errorf("open: %v", err)
			}
			if a, err := tx.Account(ctx, "new"); err != nil || a == nil {
				b.Errorf("the new account is %v, %v", a, err)
			}
			if err := tx.Post(ctx, engine.Transfer{ID: "T1", Src: "new", Dst: "A", Amount: 5, Currency: "KRW", CreatedAt: start}); err != nil {
				b.Errorf("post: %v", err)
			}
			return errEffect
		})
		if err == nil {
			b.Error("no error")
		}
	})
}

func ledgerView(b *bundle) {
	b.names.accounts = append(b.names.accounts, "new")
	b.names.transfer("T1")
	b.names.document("k", "i")
	b.unchanged("a view", func() {
		b.view(func(tx engine.Tx) error {
			ctx := context.Background()
			if tx.OpenAccount(ctx, engine.Account{ID: "new"}) == nil {
				b.Error("a view opened an account")
			}
			if tx.Post(ctx, engine.Transfer{ID: "T1", Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: start}) == nil {
				b.Error("a view posted a transfer")
			}
			if tx.PutDocument(ctx, "k", "i", nil) == nil {
				b.Error("a view put a document")
			}
			return nil
		})
	})
}

// ledgerPay sends orders through the engine's own effect.
func ledgerPay(b *bundle) {
	for i, c := range []struct {
		order  string
		status int
		reason string
	}{
		{`{"src":"A","dst":7,"amount":300,"currency":"KRW"}`, 201, ""},
		{`{"src":7,"dst":"B","amount":300,"currency":"KRW"}`, 201, ""},
		{`{"src":7,"dst":"B","amount":1,"currency":"KRW"}`, 402, "insufficient_funds"},
		{`{"src":"nobody","dst":"B","amount":1,"currency":"KRW"}`, 404, "unknown_account"},
	} {
		k := key(c.order)
		order, refused, err := engine.ParseOrder([]byte(c.order))
		if err != nil || refused != nil {
			b.Fatal(refused, err)
		}
		id := string(rune('a' + i))
		done := b.keep(b.fresh(k, c.order, start), at(1), func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			return engine.Pay(ctx, tx, order, id, at(1))
		})
		if done.Reply.Status != c.status || done.Reply.Reason != c.reason {
			b.Errorf("%s: %d %q, want %d %q", c.order, done.Reply.Status, done.Reply.Reason, c.status, c.reason)
		}
	}
	b.balances(700, 350, 0)
}

// ledgerOverdrawn: an account that comes overdrawn can be paid into and not out of.
func ledgerOverdrawn(b *bundle) {
	err := b.update(func(ctx context.Context, tx engine.Tx) error {
		return tx.OpenAccount(ctx, engine.Account{ID: "O", Balance: -5})
	})
	if err != nil {
		b.Fatalf("open an overdrawn account: %v", err)
	}
	pay := func(src, dst string) error {
		return b.update(func(ctx context.Context, tx engine.Tx) error {
			return tx.Post(ctx, engine.Transfer{ID: src + dst, Src: src, Dst: dst, Amount: 1, Currency: "KRW", CreatedAt: start})
		})
	}
	if pay("O", "A") == nil {
		b.Errorf("paid out of an overdrawn account")
	}
	if err := pay("A", "O"); err != nil {
		b.Errorf("pay into an overdrawn account: %v", err)
	}
}
