package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"idem/engine"
	"idem/engine/pgstore"
	"idem/engine/pgstore/pgtest"
)

// begin is when every test begins.
var begin = time.Date(2026, 3, 2, 9, 0, 0, 1, time.UTC)

func claimOf(name string) engine.Claim {
	p := engine.DefaultPolicy()
	c, err := p.Claim(engine.Request{ClientID: "shop", Endpoint: "POST /v1/transfers", Key: name, Body: []byte("{}")}, begin)
	if err != nil {
		panic(err)
	}
	return c
}

// hold claims a key and insists on getting it.
func hold(tb testing.TB, s engine.Store, name string) engine.Completion {
	tb.Helper()
	v, err := s.Claim(context.Background(), claimOf(name), engine.DefaultPolicy())
	if err != nil || v.Outcome != engine.Fresh {
		tb.Fatalf("claim %s: %v, %v", name, v.Outcome, err)
	}
	return engine.Completion{Key: v.Record.Key, Fence: v.Record.Fence, Now: begin.Add(1)}
}

func openAccounts(tb testing.TB, s engine.Store, ids ...string) {
	tb.Helper()
	err := s.Update(context.Background(), func(tx engine.Tx) error {
		for _, id := range ids {
			if err := tx.OpenAccount(context.Background(), engine.Account{ID: id, Balance: 1000}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// order is the effect of paying amount from src to dst as transfer id.
func order(id, src, dst string, amount int64) engine.Effect {
	o := engine.Order{Src: engine.AccountRef{Text: src, JSON: []byte(strconv.Quote(src))}, Dst: engine.AccountRef{Text: dst, JSON: []byte(strconv.Quote(dst))}, Amount: amount, Currency: "KRW"}
	return func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		return engine.Pay(ctx, tx, o, id, begin)
	}
}

func balance(tb testing.TB, s engine.Store, id string) (balance int64) {
	tb.Helper()
	err := s.View(context.Background(), func(tx engine.Tx) error {
		a, err := tx.Account(context.Background(), id)
		if a != nil {
			balance = a.Balance
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return balance
}

// number asks the database itself.
func number(tb testing.TB, dsn, query string) (n int64) {
	tb.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(context.Background(), query).Scan(&n); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return n
}

// TestTransfersBothWays sends money around a few accounts in both directions at
// once, from two servers. In READ COMMITTED no two may wait for each other, or
// Postgres would take a second to notice; in SERIALIZABLE refused transactions
// must run again.
func TestTransfersBothWays(t *testing.T) {
	for _, isolation := range []string{"read committed", "serializable"} {
		t.Run(isolation, func(t *testing.T) {
			dsn := pgtest.With(t, pgtest.Database(t), "default_transaction_isolation", isolation)
			var pauses atomic.Int64
			random := func() float64 { pauses.Add(1); return 0.5 }
			servers := []*pgstore.Store{
				openStore(t, dsn, pgstore.Options{MaxConns: 6, Tries: 50, Random: random}),
				openStore(t, dsn, pgstore.Options{MaxConns: 6, Tries: 50, Random: random}),
			}
			accounts := []string{"a", "b", "c"}
			openAccounts(t, servers[0], accounts...)
			transferAround(t, servers, accounts)
			var sum int64
			for _, id := range accounts {
				sum += balance(t, servers[0], id)
			}
			if sum != 3000 {
				t.Errorf("3000 became %d", sum)
			}
			if n := number(t, dsn, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"); n != 0 {
				t.Errorf("%d deadlocks", n)
			}
			if pauses.Load() == 0 {
				t.Error("nothing ran again: the test proves nothing")
			}
		})
	}
}

func transferAround(t *testing.T, servers []*pgstore.Store, accounts []string) {
	var wg sync.WaitGroup
	for worker := range 12 {
		wg.Go(func() {
			s := servers[worker%len(servers)]
			for i := range 15 {
				name := fmt.Sprintf("%d-%d", worker, i)
				src, dst := accounts[(worker+i)%3], accounts[(worker+i+1+worker%2)%3]
				v, err := s.Claim(context.Background(), claimOf(name), engine.DefaultPolicy())
				if err != nil {
					t.Errorf("claim: %v", err)
					return
				}
				done := engine.Completion{Key: v.Record.Key, Fence: v.Record.Fence, Now: begin}
				r, settled, err := s.Complete(context.Background(), done, engine.DefaultPolicy(), order(name, src, dst, 7))
				if err != nil || settled != engine.Kept || r.Reply.Status != 201 {
					t.Errorf("complete %s: %v, %d, %v", name, settled, r.Reply.Status, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestDocumentCounter lets two servers count in one document that does not exist
// at first: no count is lost, also not the first one.
func TestDocumentCounter(t *testing.T) {
	dsn := pgtest.Database(t)
	servers := []*pgstore.Store{openStore(t, dsn, pgstore.Options{Tries: 100}), openStore(t, dsn, pgstore.Options{Tries: 100})}
	const each = 20
	var wg sync.WaitGroup
	for worker := range 6 {
		wg.Go(func() {
			for range each {
				err := servers[worker%2].Update(context.Background(), countUp)
				if err != nil {
					t.Errorf("count: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if n := number(t, dsn, "SELECT convert_from(doc, 'UTF8')::bigint FROM document"); n != 6*each {
		t.Errorf("counted to %d, want %d", n, 6*each)
	}
}

func countUp(tx engine.Tx) error {
	ctx := context.Background()
	doc, err := tx.Document(ctx, "counter", "1")
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(string(doc))
	return tx.PutDocument(ctx, "counter", "1", strconv.AppendInt(nil, int64(n)+1, 10))
}

// TestPgxTx proves that a stranger's tables are committed with the reply, or not
// at all.
func TestPgxTx(t *testing.T) {
	dsn := pgtest.Database(t)
	s := openStore(t, dsn, pgstore.Options{})
	own := func(fail bool) engine.Effect {
		return func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			pg, ok := pgstore.PgxTx(tx)
			if !ok {
				return engine.Reply{}, errors.New("no pgx transaction")
			}
			if pg.Commit(ctx) == nil || pg.Rollback(ctx) == nil {
				t.Error("an effect ended the store's transaction")
			}
			if _, err := pg.Exec(ctx, "INSERT INTO stranger VALUES (1)"); err != nil {
				return engine.Reply{}, err
			}
			if fail {
				return engine.Reply{}, errors.New("no")
			}
			return engine.Reply{Status: 201}, nil
		}
	}
	err := s.Update(context.Background(), func(tx engine.Tx) error {
		pg, _ := pgstore.PgxTx(tx)
		_, err := pg.Exec(context.Background(), "CREATE TABLE stranger (n INT)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	held := hold(t, s, "k")
	if _, _, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), own(true)); err == nil {
		t.Error("no error")
	}
	if n := number(t, dsn, "SELECT count(*) FROM stranger"); n != 0 {
		t.Errorf("%d rows after a rollback", n)
	}
	if _, settled, err := s.Complete(context.Background(), held, engine.DefaultPolicy(), own(false)); err != nil || settled != engine.Kept {
		t.Errorf("complete: %v, %v", settled, err)
	}
	if n := number(t, dsn, "SELECT count(*) FROM stranger"); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}
