package engine_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"idem/engine"
	"idem/engine/memstore"
)

func TestCheckFundsAtEachBoundary(t *testing.T) {
	account := func(id string, balance int64) *engine.Account { return &engine.Account{ID: id, Balance: balance} }
	cases := []struct {
		name     string
		src, dst *engine.Account
		amount   int64
		want     *engine.Refusal
	}{
		{"all there is", account("A", 10), account("B", 0), 10, nil},
		{"one more", account("A", 10), account("B", 0), 11, engine.RefusedFunds},
		{"one", account("A", 1), account("B", 0), 1, nil},
		{"nothing", account("A", 1), account("B", 0), 0, engine.RefusedAmount},
		{"below zero", account("A", 1), account("B", 0), -1, engine.RefusedAmount},
		{"no source", nil, account("B", 0), 1, engine.RefusedAccount},
		{"no target", account("A", 1), nil, 1, engine.RefusedAccount},
		{"itself", account("A", 1), account("A", 1), 1, engine.RefusedSame},
		{"to the largest", account("A", 1), account("B", math.MaxInt64-1), 1, nil},
		{"beyond the largest", account("A", 1), account("B", math.MaxInt64), 1, engine.RefusedOverflow},
		{"the largest", account("A", math.MaxInt64), account("B", 0), math.MaxInt64, nil},
	}
	for _, c := range cases {
		if got := engine.CheckFunds(c.src, c.dst, c.amount); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestAdd(t *testing.T) {
	edge := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := edge.Draw(t, "a"), edge.Draw(t, "b")
		got, err := engine.Add(a, b)
		want := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		if fits := want.IsInt64(); fits != (err == nil) || fits && got != want.Int64() || err != nil && !errors.Is(err, engine.ErrOverflow) {
			t.Fatalf("%d + %d is %d, %v; want %s", a, b, got, err, want)
		}
	})
}

// TestPayConservesMoney sends random orders, good and bad, and looks at the sum.
func TestPayConservesMoney(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, store := context.Background(), memstore.New()
		accounts := []string{"A", "B", "C"}
		err := store.Update(ctx, func(tx engine.Tx) error {
			for _, id := range accounts {
				if err := tx.OpenAccount(ctx, engine.Account{ID: id, Balance: 100}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			ids := rapid.SampledFrom([]string{"A", "B", "C", "X"})
			o := engine.Order{Amount: rapid.Int64Range(-1, 150).Draw(t, "amount"), Currency: "KRW"}
			o.Src = engine.AccountRef{Text: ids.Draw(t, "src"), JSON: []byte(`"s"`)}
			o.Dst = engine.AccountRef{Text: ids.Draw(t, "dst"), JSON: []byte(`"d"`)}
			payRandom(t, store, o, string(rune('a'+i)))
		}
	})
}

func payRandom(t *rapid.T, store engine.Store, o engine.Order, id string) {
	ctx := context.Background()
	err := store.Update(ctx, func(tx engine.Tx) error {
		reply, err := engine.Pay(ctx, tx, o, id, claimed)
		if err != nil {
			return err
		}
		var sum int64
		for _, id := range []string{"A", "B", "C"} {
			a, err := tx.Account(ctx, id)
			if err != nil || a.Balance < 0 {
				t.Fatalf("account %+v, %v", a, err)
			}
			sum += a.Balance
		}
		made, err := tx.Transfer(ctx, id)
		if err != nil || sum != 300 || (made != nil) != (reply.Status == 201) {
			t.Fatalf("%+v gives %d, transfer %+v, sum %d, %v", o, reply.Status, made, sum, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNumber(t *testing.T) {
	for id, ok := range map[string]bool{"0": true, "-7": true, "9223372036854775807": true, "9223372036854775808": false, "07": false, "+7": false, "-0": false, "": false, "7 ": false} {
		n, err := engine.Account{ID: id, Integer: true}.Number()
		if (err == nil) != ok || ok && strconv.FormatInt(n, 10) != id {
			t.Errorf("%q is %d, %v", id, n, err)
		}
		if n, err := (engine.Account{ID: id}).Number(); n != 0 || err != nil {
			t.Errorf("the text %q is %d, %v", id, n, err)
		}
	}
}
