package sqlitestore

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"idem/engine"
)

func openedBulk(t *testing.T) *Bulk {
	t.Helper()
	b, err := OpenBulk(context.Background(), filepath.Join(t.TempDir(), "day.db"), BulkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// TestBulkKeepsFewAccounts moves money between more accounts than are kept in
// memory, in a ring: every balance must be what it was.
func TestBulkKeepsFewAccounts(t *testing.T) {
	ctx, b := context.Background(), openedBulk(t)
	b.accounts.bound = 3
	const accounts = 10
	id := func(i int) string { return fmt.Sprint("A", i%accounts) }
	for i := range accounts {
		err := b.Update(ctx, func(tx engine.Tx) error { return tx.OpenAccount(ctx, engine.Account{ID: id(i), Balance: 100}) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 * accounts {
		err := b.Update(ctx, func(tx engine.Tx) error {
			return tx.Post(ctx, engine.Transfer{ID: fmt.Sprint("T", i), Src: id(i), Dst: id(i + 1), Amount: 10, Currency: "KRW", CreatedAt: now})
		})
		if err != nil {
			t.Fatal(err)
		}
		if kept := len(b.accounts.kept); kept > b.accounts.bound+2 {
			t.Fatalf("%d accounts are kept in memory", kept)
		}
	}
	seen := 0
	err := b.Query(ctx, "SELECT acct_id, balance FROM account", nil, func(r Row) error {
		var id string
		var balance int64
		if err := r.Scan(&id, &balance); err != nil || balance != 100 {
			t.Errorf("account %s has %d, %v", id, balance, err)
		}
		seen++
		return nil
	})
	if err != nil || seen != accounts {
		t.Errorf("%d accounts, %v", seen, err)
	}
}

// TestSkipFences: tokens go on from where they were told to, never back.
func TestSkipFences(t *testing.T) {
	ctx, b := context.Background(), openedBulk(t)
	for i, step := range []struct{ skip, want engine.Fence }{{0, 1}, {100, 100}, {50, 101}, {0, 102}} {
		if err := b.SkipFences(step.skip); err != nil {
			t.Fatal(err)
		}
		if err := b.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		v, err := b.Claim(ctx, claim(fmt.Sprint(i)), policy)
		if err != nil || v.Record.Fence != step.want {
			t.Errorf("step %d: fence %d, %v; want %d", i, v.Record.Fence, err, step.want)
		}
	}
}

// TestPreparedStatementsAreBounded: a caller that writes values into its
// statements does not fill the memory.
func TestPreparedStatementsAreBounded(t *testing.T) {
	b := openedBulk(t)
	for i := range 3 * maxStatements {
		if err := b.QueryRow(fmt.Sprintf("SELECT %d", i)).Scan(new(int64)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.s.c.stmts); n > maxStatements {
		t.Errorf("%d statements are kept", n)
	}
}
