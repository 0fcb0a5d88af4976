package payments_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine"
	"idem/engine/payments"
)

func (s *shop) open(accounts ...engine.Account) {
	s.t.Helper()
	if _, err := payments.OpenAccounts(context.Background(), s.store, accounts); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) balance(id string) int64 {
	s.t.Helper()
	var a *engine.Account
	err := s.store.View(context.Background(), func(tx engine.Tx) (err error) {
		a, err = tx.Account(context.Background(), id)
		return err
	})
	if err != nil || a == nil {
		s.t.Fatalf("account %s: %v", id, err)
	}
	return a.Balance
}

func TestTransferMovesMoneyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		s.open(engine.Account{ID: "a", Balance: 1000}, engine.Account{ID: "7", Integer: true})
		const order = `{"src":"a","dst":7,"amount":400,"currency":"KRW"}`
		const body = `{"transfer_id":"tr_000000000000000000000000","src":"a","dst":7,"amount":400,"currency":"KRW","created_at":"2000-01-01T00:00:00Z"}`
		for range 3 {
			w := s.do("POST", "/v1/transfers", "alice", "k", order)
			if w.Code != 201 || w.Body.String() != body || w.Header().Get("Content-Type") != "application/json" {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		if a, b := s.balance("a"), s.balance("7"); a != 600 || b != 400 {
			t.Errorf("balances %d, %d", a, b)
		}
		transfer, ok := payments.TransferOf([]byte(body))
		want := engine.Transfer{ID: "tr_000000000000000000000000", Src: "a", Dst: "7", Amount: 400, Currency: "KRW", CreatedAt: time.Now().UTC()}
		if !ok || transfer != want {
			t.Errorf("transfer %+v, %v", transfer, ok)
		}
	})
}

func TestTransfersThatAreRefused(t *testing.T) {
	tests := map[string]struct {
		body   string
		status int
		code   string
	}{
		"no money":        {`{"src":"a","dst":"b","amount":1001,"currency":"KRW"}`, 402, "insufficient_funds"},
		"unknown account": {`{"src":"a","dst":"z","amount":1,"currency":"KRW"}`, 404, "unknown_account"},
		"one account":     {`{"src":"a","dst":"a","amount":1,"currency":"KRW"}`, 400, "same_account"},
		"amount":          {`{"src":"a","dst":"b","amount":0,"currency":"KRW"}`, 400, "invalid_amount"},
		"duplicate":       {`{"src":"a","dst":"b","amount":1,"amount":2,"currency":"KRW"}`, 400, "invalid_body"},
		"overflow":        {`{"src":"a","dst":"full","amount":1,"currency":"KRW"}`, 400, "balance_overflow"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.open(engine.Account{ID: "a", Balance: 1000}, engine.Account{ID: "b"}, engine.Account{ID: "full", Balance: 1<<63 - 1})
			for _, replayed := range []string{"", "true"} {
				w := s.do("POST", "/v1/transfers", "alice", "k", test.body)
				if w.Code != test.status || !strings.HasPrefix(w.Body.String(), `{"error":"`+test.code+`","detail":"`) || w.Header().Get("Idempotent-Replayed") != replayed {
					t.Fatalf("%d %s; want %d %s", w.Code, w.Body, test.status, test.code)
				}
			}
			if got := s.balance("a"); got != 1000 {
				t.Errorf("balance %d", got)
			}
		})
	}
}

func TestOpenAccountsKeepsBalances(t *testing.T) {
	s := newShop(t)
	s.open(engine.Account{ID: "a", Balance: 1000}, engine.Account{ID: "b"})
	s.do("POST", "/v1/transfers", "alice", "k", `{"src":"a","dst":"b","amount":1,"currency":"KRW"}`)
	open, err := payments.OpenAccounts(context.Background(), s.store, []engine.Account{{ID: "a", Balance: 1000}, {ID: "c", Balance: 5}})
	if err != nil || len(open) != 2 || open[0].Balance != 999 || open[1].Balance != 5 {
		t.Errorf("accounts %+v, %v", open, err)
	}
}
