package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"idem/engine"
	"idem/engine/sqlitestore"
)

// chained reads the chain of a file and computes it anew; it returns its length
// and how many transfers stand outside of it, by the head.
func chained(t *testing.T, db *sql.DB) (n, untied int64) {
	t.Helper()
	rows, err := db.Query(`SELECT n, hash, transfer_id, src, dst, amount, currency, created_at FROM transfer_claim JOIN transfer USING (transfer_id) ORDER BY n`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var seal engine.Seal
	for rows.Next() {
		var at int64
		var hash []byte
		var tr engine.Transfer
		var created string
		if err := rows.Scan(&at, &hash, &tr.ID, &tr.Src, &tr.Dst, &tr.Amount, &tr.Currency, &created); err != nil {
			t.Fatal(err)
		}
		seal = seal.Next(tr.ID, tr.Src, tr.Dst, tr.Amount, tr.Currency, created)
		if n++; n != at || string(hash) != string(seal[:]) {
			t.Fatalf("place %d has number %d and hash %x, want %v", n, at, hash, seal)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	var head int64
	var hash []byte
	if err := db.QueryRow("SELECT n, hash, untied FROM chain_head").Scan(&head, &hash, &untied); err != nil {
		t.Fatal(err)
	}
	if head != n || string(hash) != string(seal[:]) {
		t.Fatalf("the head says %d, %x; the chain ends with %d, %v", head, hash, n, seal)
	}
	return n, untied
}

func postOutside(ctx context.Context, tx engine.Tx, id string) error {
	return tx.Post(ctx, engine.Transfer{ID: id, Src: "A0001", Dst: "A0002", Amount: 1, Currency: "KRW", CreatedAt: day})
}

// TestChain: each transfer of a key lengthens the chain by one, across restarts,
// undone operations and both forms of the store; one outside of a key is counted.
func TestChain(t *testing.T) {
	for name, open := range map[string]func(path string) engine.Store{
		"live": func(path string) engine.Store { return openLive(t, path, sqlitestore.Options{}) },
		"bulk": func(path string) engine.Store {
			s, err := sqlitestore.OpenBulk(context.Background(), path, sqlitestore.BulkOptions{Stage: 4})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, path := context.Background(), filepath.Join(t.TempDir(), "chain.db")
			for round := range 3 {
				store := open(path)
				if round == 0 {
					openAccounts(t, store, 1000)
				}
				for i := range 5 {
					payOnce(t, store, engine.DefaultPolicy(), 10*round+i)
				}
				failing := store.Update(ctx, func(tx engine.Tx) error { return errors.Join(postOutside(ctx, tx, "F"), errOwn) })
				if !errors.Is(failing, errOwn) {
					t.Fatal(failing)
				}
				if err := store.Update(ctx, func(tx engine.Tx) error { return postOutside(ctx, tx, fmt.Sprint("U", round)) }); err != nil {
					t.Fatal(err)
				}
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if n, untied := chained(t, plain(t, path)); n != 15 || untied != 3 {
				t.Errorf("%d transfers are chained and %d are not, want 15 and 3", n, untied)
			}
		})
	}
}

// TestUpgrade: a file of an older version gets what it lacks when it is opened,
// and goes on with it: the chain, and a place for checksums, which its records do
// not have. They are answered as before.
func TestUpgrade(t *testing.T) {
	for version, statements := range map[int][]string{
		2: {"ALTER TABLE idempotency_key DROP COLUMN checksum", "UPDATE idem_schema SET version = 2"},
		1: {"ALTER TABLE idempotency_key DROP COLUMN checksum", "ALTER TABLE transfer_claim DROP COLUMN n", "ALTER TABLE transfer_claim DROP COLUMN hash",
			"DROP TABLE chain_head", "DROP TABLE account_opened", "UPDATE idem_schema SET version = 1",
			"INSERT INTO transfer VALUES ('older', 'A0001', 'A0002', 5, 'KRW', '2020-01-01T00:00:00Z')"},
	} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "old.db")
			store := openLive(t, path, sqlitestore.Options{})
			openAccounts(t, store, 1000)
			for i := range 5 {
				payOnce(t, store, engine.DefaultPolicy(), i)
			}
			old, err := claimOf(engine.DefaultPolicy(), "old", day)
			if err := errors.Join(err, claims(store, old, engine.Fresh), store.Close()); err != nil {
				t.Fatal(err)
			}
			db := plain(t, path)
			execute(t, db, statements...)
			for range 2 { // the second time there is nothing to do
				store = openLive(t, path, sqlitestore.Options{})
				if err := errors.Join(claims(store, old, engine.InFlight), store.Close()); err != nil {
					t.Fatal(err)
				}
			}
			store = openLive(t, path, sqlitestore.Options{})
			payOnce(t, store, engine.DefaultPolicy(), 6)
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			if n, untied := chained(t, db); n != 6 || untied != int64(2-version) {
				t.Errorf("%d transfers are chained and %d are not", n, untied)
			}
			var without int
			if err := db.QueryRow("SELECT count(*) FROM idempotency_key WHERE checksum IS NULL").Scan(&without); err != nil || without != 6 {
				t.Errorf("%d records have no checksum, %v; want the six that were there", without, err)
			}
		})
	}
}

// claims insists on the outcome of a claim.
func claims(store engine.Store, c engine.Claim, want engine.Outcome) error {
	v, err := store.Claim(context.Background(), c, engine.DefaultPolicy())
	if err == nil && v.Outcome != want {
		err = fmt.Errorf("a claim is %v, want %v", v.Outcome, want)
	}
	return err
}
