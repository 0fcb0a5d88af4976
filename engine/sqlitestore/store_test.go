package sqlitestore_test

import (
	"context"
	"path/filepath"
	"testing"

	"idem/engine"
	"idem/engine/sqlitestore"
)

func TestBothFormsPayOnce(t *testing.T) {
	dir := t.TempDir()
	live, err := sqlitestore.Open(context.Background(), filepath.Join(dir, "a #?%'\n b.db"), sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bulk, err := sqlitestore.OpenBulk(context.Background(), filepath.Join(dir, "bulk.db"), sqlitestore.BulkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []engine.Store{live, bulk} {
		openAccounts(t, store, 10)
		payOnce(t, store, engine.DefaultPolicy(), 1)
		err := store.View(context.Background(), func(tx engine.Tx) error {
			a, err := tx.Account(context.Background(), "A0001")
			if err != nil || a.Balance != 1<<50-1000 {
				t.Errorf("balance %v, %v", a, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, store := range []engine.Store{live, bulk} {
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
