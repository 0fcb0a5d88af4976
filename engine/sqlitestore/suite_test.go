package sqlitestore_test

import (
	"context"
	"path/filepath"
	"testing"

	"idem/engine"
	"idem/engine/sqlitestore"
	"idem/engine/storetest"
)

func TestLive(t *testing.T) {
	storetest.Run(t, storetest.Factory{New: newLive})
}

func TestBulk(t *testing.T) {
	storetest.Run(t, storetest.Factory{New: newBulk})
}

func newLive(tb testing.TB) engine.Store {
	return openLive(tb, filepath.Join(tb.TempDir(), "live.db"), sqlitestore.Options{})
}

func openLive(tb testing.TB, path string, o sqlitestore.Options) *sqlitestore.Store {
	tb.Helper()
	s, err := sqlitestore.Open(context.Background(), path, o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func newBulk(tb testing.TB) engine.Store {
	// So few that commits fall between the steps of every test.
	s, err := sqlitestore.OpenBulk(context.Background(), filepath.Join(tb.TempDir(), "bulk.db"), sqlitestore.BulkOptions{CommitEvery: 3})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
