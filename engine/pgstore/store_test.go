package pgstore_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
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
	}, Edit: edit})
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
	}, Edit: edit})
}

func TestNewest(t *testing.T) {
	s := openStore(t, pgtest.Database(t), pgstore.Options{})
	defer s.Close()
	storetest.Newest(t, s, edit)
}

// edit sets columns of every record, in the table.
func edit(tb testing.TB, s engine.Store, columns map[string]any) {
	tb.Helper()
	var set []string
	var args []any
	for name, value := range columns {
		args = append(args, value)
		set = append(set, fmt.Sprintf("%s = $%d", name, len(args)))
	}
	execute(tb, s, "UPDATE idempotency_key SET "+strings.Join(set, ", "), args...)
}

func execute(tb testing.TB, s engine.Store, statement string, args ...any) {
	tb.Helper()
	ctx := context.Background()
	err := s.Update(ctx, func(tx engine.Tx) error {
		own, _ := pgstore.PgxTx(tx)
		_, err := own.Exec(ctx, statement, args...)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
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

// TestUpgrade: tables of the version before get a place for checksums. The
// records that are there have none, and are answered as before.
func TestUpgrade(t *testing.T) {
	dsn := pgtest.Database(t)
	s := openStore(t, dsn, pgstore.Options{})
	openAccounts(t, s, "a", "b")
	payOnce(t, s, "k")
	execute(t, s, "DELETE FROM idem_migration WHERE version_id = 3")
	execute(t, s, "ALTER TABLE idempotency_key DROP COLUMN checksum")
	s = openStore(t, dsn, pgstore.Options{})
	if v, err := s.Claim(context.Background(), claimOf("k"), engine.DefaultPolicy()); err != nil || v.Outcome != engine.Replay {
		t.Errorf("a retry is %v, %v", v.Outcome, err)
	}
	payOnce(t, s, "new")
	if n := number(t, dsn, "SELECT count(*) FROM idempotency_key WHERE checksum IS NULL"); n != 1 {
		t.Errorf("%d records have no checksum, want the one that was there", n)
	}
}
