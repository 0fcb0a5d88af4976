package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // what a stranger reads the file with

	"idem/engine"
	"idem/engine/sqlitestore"
)

// plain opens the file through database/sql, as any other program would. The
// path must be one that needs no escaping.
func plain(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// contents is every table of the store's as text.
func contents(t *testing.T, db *sql.DB) string {
	t.Helper()
	var out strings.Builder
	for _, table := range []string{"account", "transfer", "idempotency_key", "transfer_claim", "chain_head", "fence_counter", "document"} {
		fmt.Fprintln(&out, table)
		rows, err := db.Query("SELECT * FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			row, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range row {
				into[i] = &row[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "  %#v\n", row)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// everyWrite is each call that would write, on a store that holds one claim.
func everyWrite(t *testing.T, store engine.Store) map[string]func() error {
	t.Helper()
	ctx, p := context.Background(), engine.DefaultPolicy()
	if err := openTwo(store); err != nil {
		t.Fatal(err)
	}
	c, err := claimOf(p, "held", day)
	if err != nil {
		t.Fatal(err)
	}
	v, err := store.Claim(ctx, c, p)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := claimOf(p, "new", day)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func() error{
		"Claim": func() error { _, err := store.Claim(ctx, fresh, p); return err },
		"Complete": func() error {
			_, _, err := store.Complete(ctx, engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: day}, p,
				func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
					// Large, so that a full disk is met.
					reply := engine.Reply{Status: 201, Body: make([]byte, 1<<20)}
					return reply, tx.Post(ctx, engine.Transfer{ID: "T1", Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: day})
				})
			return err
		},
		"Update": func() error {
			return store.Update(ctx, func(tx engine.Tx) error { return tx.PutDocument(ctx, "k", "i", make([]byte, 1<<20)) })
		},
	}
}

// TestBusy: another process holds the write lock longer than the store waits.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "busy.db")
	store := openLive(t, path, sqlitestore.Options{BusyTimeout: 20 * time.Millisecond})
	defer store.Close()
	writes := everyWrite(t, store)
	db := plain(t, path)
	before := contents(t, db)
	execute(t, db, "BEGIN IMMEDIATE")
	for name, write := range writes {
		if err := write(); !errors.Is(err, engine.ErrBusy) {
			t.Errorf("%s: %v, want ErrBusy", name, err)
		}
	}
	if err := store.View(context.Background(), func(engine.Tx) error { return nil }); err != nil {
		t.Errorf("a view waits for a writer: %v", err)
	}
	execute(t, db, "ROLLBACK")
	if after := contents(t, db); after != before {
		t.Errorf("a busy store wrote\n%s\nwas\n%s", after, before)
	}
	for name, write := range writes {
		if err := write(); err != nil {
			t.Errorf("%s once the lock is gone: %v", name, err)
		}
	}
}

// TestOpenBusy: a file that another process keeps to itself is busy, and opening
// it does not wait for ever.
func TestOpenBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exclusive.db")
	db := plain(t, path)
	execute(t, db, "CREATE TABLE account (acct_id, holder, balance)", "BEGIN EXCLUSIVE")
	if _, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{BusyTimeout: 20 * time.Millisecond}); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("a file that is locked: %v, want ErrBusy", err)
	}
	execute(t, db, "ROLLBACK")
	if err := openLive(t, path, sqlitestore.Options{}).Close(); err != nil {
		t.Error(err)
	}
}

// TestBusyIsWaitedFor: a lock that goes away within the time is no error.
func TestBusyIsWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wait.db")
	store := openLive(t, path, sqlitestore.Options{BusyTimeout: time.Minute})
	defer store.Close()
	write := everyWrite(t, store)["Claim"]
	db := plain(t, path)
	execute(t, db, "BEGIN IMMEDIATE")
	done := make(chan error)
	go func() { done <- write() }()
	select {
	case err := <-done:
		t.Errorf("did not wait: %v", err)
	default:
	}
	execute(t, db, "COMMIT")
	if err := <-done; err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

// TestDiskFull: a file that may not grow is a disk that is full.
func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "full.db")
	store := openLive(t, path, sqlitestore.Options{})
	defer store.Close()
	writes := everyWrite(t, store)
	limitPages(t, store)
	db := plain(t, path)
	before := contents(t, db)
	for _, name := range []string{"Complete", "Update"} {
		if err := writes[name](); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
	}
	if after := contents(t, db); after != before {
		t.Errorf("a full disk has\n%s\nwas\n%s", after, before)
	}
	// What fits still works, and the claim stands for its retry.
	if err := writes["Claim"](); err != nil {
		t.Errorf("a claim that fits: %v", err)
	}
}

// limitPages makes the store's own connection refuse to grow the file by more
// than a little.
func limitPages(t *testing.T, store engine.Store) {
	t.Helper()
	err := store.Update(context.Background(), func(tx engine.Tx) error {
		own, ok := sqlitestore.SQLTx(tx)
		if !ok {
			t.Fatal("no SQL behind the transaction")
		}
		var pages int64
		if err := own.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
			return err
		}
		return own.QueryRow("PRAGMA max_page_count = 40").Scan(&pages)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenFailures(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	missing := filepath.Join(dir, "missing.db")
	if _, err := sqlitestore.Open(ctx, missing, sqlitestore.Options{NoCreate: true}); !errors.Is(err, engine.ErrUnavailable) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("NoCreate created the file")
	}
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"no database": garbage, "a folder": dir, "no folder": filepath.Join(dir, "none", "x.db"), "a NUL in the path": dir + "/a\x00b",
	} {
		if _, err := sqlitestore.Open(ctx, path, sqlitestore.Options{}); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
		if _, err := sqlitestore.OpenBulk(ctx, path, sqlitestore.BulkOptions{}); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("%s in bulk: %v, want ErrUnavailable", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := sqlitestore.Open(cancelled, missing, sqlitestore.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestDamagedFile overwrites pages of a good file: an error, never a wrong answer.
func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "damaged.db")
	store := openLive(t, path, sqlitestore.Options{})
	everyWrite(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(whole); i++ { // all but the schema's first page
		whole[i] ^= 0x5a
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err = sqlitestore.Open(context.Background(), path, sqlitestore.Options{})
	if err == nil {
		p := engine.DefaultPolicy()
		c, _ := claimOf(p, "held", day)
		_, err = store.Claim(context.Background(), c, p)
		store.Close()
	}
	if !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("a damaged file: %v, want ErrUnavailable", err)
	}
}

func TestNewerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "newer.db")
	if err := openLive(t, path, sqlitestore.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	db := plain(t, path)
	execute(t, db, "UPDATE idem_schema SET version = 4")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{})
	if !errors.Is(err, sqlitestore.ErrSchema) || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("a newer schema: %v", err)
	}
	if _, err := sqlitestore.OpenBulk(context.Background(), path, sqlitestore.BulkOptions{}); !errors.Is(err, sqlitestore.ErrSchema) {
		t.Errorf("a newer schema in bulk: %v", err)
	}
}

// TestReadOnlyFile: root may write to any file, so the connection is made
// read-only instead; SQLite answers both with the same code.
func TestReadOnlyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "readonly.db")
	store := openLive(t, path, sqlitestore.Options{})
	defer store.Close()
	writes := everyWrite(t, store)
	before := contents(t, plain(t, path))
	err := store.Update(context.Background(), func(tx engine.Tx) error {
		own, _ := sqlitestore.SQLTx(tx)
		_, err := own.Exec("PRAGMA query_only = ON")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range writes {
		if err := write(); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
	}
	if after := contents(t, plain(t, path)); after != before {
		t.Errorf("a read-only file has\n%s\nwas\n%s", after, before)
	}
}

// A folder that may not be written to is an error that says so, whether the file is
// there or not. Root may write anywhere, so it runs this as nobody.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		asNobody(t)
		return
	}
	dir := t.TempDir()
	there := filepath.Join(dir, "there.db")
	if err := openLive(t, there, sqlitestore.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	for _, path := range []string{there, filepath.Join(dir, "new.db")} {
		if s, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{}); !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("%s, in a folder without the right to write: %v, %v", filepath.Base(path), s, err)
		}
	}
}

// asNobody runs the test that calls it again, as the user whom permissions stop.
func asNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	dir, err := os.MkdirTemp("", "nobody") // t.TempDir's parents are closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "test")
	self, err := os.Executable()
	var text []byte
	if err == nil {
		text, err = os.ReadFile(self)
	}
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err == nil {
		err = os.Chown(dir, nobody, nobody)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}
