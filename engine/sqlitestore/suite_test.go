package sqlitestore_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"idem/engine"
	"idem/engine/sqlitestore"
	"idem/engine/storetest"
)

func TestLive(t *testing.T) {
	storetest.Run(t, storetest.Factory{New: newLive, Dump: dump, Edit: edit})
}

func TestBulk(t *testing.T) {
	storetest.Run(t, storetest.Factory{New: newBulk, Dump: dump, Edit: edit})
}

func newLive(tb testing.TB) engine.Store {
	return openLive(tb, filepath.Join(memoryDir(tb), "live.db"), sqlitestore.Options{})
}

// memoryDir is a folder in memory where there is one: the suite commits some ten
// thousand times and proves nothing about the disk.
func memoryDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sqlitestore")
	if err != nil {
		return tb.TempDir()
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
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
	// So few that stages fill between the steps of every test.
	s, err := sqlitestore.OpenBulk(context.Background(), filepath.Join(tb.TempDir(), "bulk.db"), sqlitestore.BulkOptions{Stage: 3})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// dump counts the rows of every table and reads the fence counter: what a loser
// could have written where no View looks.
func dump(tb testing.TB, s engine.Store) string {
	tb.Helper()
	const query = `SELECT 'accounts ' || (SELECT count(*) FROM account) || ', transfers ' || (SELECT count(*) FROM transfer) ||
		', keys ' || (SELECT count(*) FROM idempotency_key) || ', ties ' || (SELECT count(*) FROM transfer_claim) ||
		', documents ' || (SELECT count(*) FROM document) || ', fence ' || (SELECT last FROM fence_counter)`
	var text string
	var err error
	if bulk, ok := s.(*sqlitestore.Bulk); ok {
		err = bulk.QueryRow(query).Scan(&text)
	} else {
		err = s.View(context.Background(), func(tx engine.Tx) error {
			own, _ := sqlitestore.SQLTx(tx)
			return own.QueryRow(query).Scan(&text)
		})
	}
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// edit sets columns of every record, in the file.
func edit(tb testing.TB, s engine.Store, columns map[string]any) {
	tb.Helper()
	var args []any
	names := slices.Sorted(maps.Keys(columns))
	for _, name := range names {
		args = append(args, columns[name])
	}
	query := "UPDATE idempotency_key SET " + strings.Join(names, " = ?, ") + " = ?"
	ctx := context.Background()
	var err error
	if bulk, ok := s.(*sqlitestore.Bulk); ok {
		err = errors.Join(bulk.Exec(query, args...), bulk.Flush(ctx))
	} else {
		err = s.Update(ctx, func(tx engine.Tx) error {
			own, _ := sqlitestore.SQLTx(tx)
			_, err := own.Exec(query, args...)
			return err
		})
	}
	if err != nil {
		tb.Fatal(err)
	}
}
