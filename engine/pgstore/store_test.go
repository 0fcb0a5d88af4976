package pgstore_test

import (
	"context"
	"flag"
	"testing"

	"idem/engine"
	"idem/engine/pgstore"
	"idem/engine/pgstore/pgtest"
	"idem/engine/storetest"
)

func TestMain(m *testing.M) {
	// Each command of the suite's random histories is a few commits to disk.
	if err := flag.Set("rapid.checks", "15"); err != nil {
		panic(err)
	}
	pgtest.Main(m)
}

func TestStore(t *testing.T) {
	dsn := pgtest.Database(t)
	storetest.Run(t, storetest.Factory{New: func(tb testing.TB) engine.Store {
		return openStore(tb, pgtest.Schema(tb, dsn), pgstore.Options{MaxConns: 8})
	}})
}

// TestStoreSerializable is the suite where the database refuses transactions
// that could not have run one after the other.
func TestStoreSerializable(t *testing.T) {
	if testing.Short() {
		t.Skip("TestStore is enough for -short")
	}
	dsn := pgtest.With(t, pgtest.Database(t), "default_transaction_isolation", "serializable")
	storetest.Run(t, storetest.Factory{New: func(tb testing.TB) engine.Store {
		return openStore(tb, pgtest.Schema(tb, dsn), pgstore.Options{MaxConns: 8})
	}})
}

func openStore(tb testing.TB, dsn string, o pgstore.Options) *pgstore.Store {
	tb.Helper()
	s, err := pgstore.Open(context.Background(), dsn, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}
