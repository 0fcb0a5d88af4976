package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"idem/engine"
	"idem/engine/memstore"
	"idem/engine/sqlitestore"
)

// TestSQLTx: an effect's own table is committed with its result, or not at all.
func TestSQLTx(t *testing.T) {
	store := newLive(t)
	defer store.Close()
	own(t, store, func(q sqlitestore.SQL) error {
		_, err := q.Exec("CREATE TABLE outbox (id INTEGER PRIMARY KEY, message TEXT)")
		return err
	})
	if err := openTwo(store); err != nil {
		t.Fatal(err)
	}
	if err := completeWithOwn(t, store, "fails", errOwn); !errors.Is(err, errOwn) {
		t.Errorf("an effect that fails: %v", err)
	}
	if err := completeWithOwn(t, store, "stands", nil); err != nil {
		t.Errorf("an effect that does not: %v", err)
	}
	var messages string
	own(t, store, func(q sqlitestore.SQL) error {
		return q.QueryRow("SELECT group_concat(message || ' ' || (SELECT balance FROM account WHERE acct_id = 'A')) FROM outbox").Scan(&messages)
	})
	if messages != "stands 99" {
		t.Errorf("outbox holds %q", messages)
	}
	err := memstore.New().View(context.Background(), func(tx engine.Tx) error {
		if _, ok := sqlitestore.SQLTx(tx); ok {
			t.Error("another store's transaction has SQL behind it")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

var errOwn = errors.New("the effect failed")

func own(t *testing.T, store engine.Store, fn func(sqlitestore.SQL) error) {
	t.Helper()
	err := store.Update(context.Background(), func(tx engine.Tx) error {
		q, ok := sqlitestore.SQLTx(tx)
		if !ok {
			t.Error("no SQL behind the transaction")
		}
		return fn(q)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// completeWithOwn pays 1 and writes a message; the balance it just moved is seen
// by its own SQL.
func completeWithOwn(t *testing.T, store engine.Store, key string, fails error) error {
	t.Helper()
	ctx, p := context.Background(), engine.DefaultPolicy()
	c, err := claimOf(p, key, day)
	if err != nil {
		t.Fatal(err)
	}
	v, err := store.Claim(ctx, c, p)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = store.Complete(ctx, engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: day}, p,
		func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			if err := tx.Post(ctx, engine.Transfer{ID: "T-" + key, Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: day}); err != nil {
				return engine.Reply{}, err
			}
			q, _ := sqlitestore.SQLTx(tx)
			if n, err := q.Exec("INSERT INTO outbox (message) VALUES (?)", key); n != 1 || err != nil {
				t.Errorf("insert: %d, %v", n, err)
			}
			var balance int64
			if err := q.QueryRow("SELECT balance FROM account WHERE acct_id = ?", "A").Scan(&balance); err != nil || balance != 99 {
				t.Errorf("inside the effect A has %d, %v", balance, err)
			}
			return engine.Reply{Status: 201}, fails
		})
	return err
}

func TestRowScan(t *testing.T) {
	store := newBulk(t).(*sqlitestore.Bulk)
	defer store.Close()
	var (
		n    int64
		text string
		blob []byte
		yes  bool
		some any
	)
	row := store.QueryRow("SELECT ?, ?, ?, ?, ?, ?", 7, "x", []byte("b\x00"), true, 1.5, nil)
	if err := row.Scan(&n, &text, &blob, &yes, &some, new(any)); err != nil || n != 7 || text != "x" || string(blob) != "b\x00" || !yes || some != 1.5 {
		t.Errorf("%d %q %q %v %v, %v", n, text, blob, yes, some, err)
	}
	for name, err := range map[string]error{
		"too few places":   store.QueryRow("SELECT 1, 2").Scan(&n),
		"another type":     store.QueryRow("SELECT 'a'").Scan(&n),
		"NULL":             store.QueryRow("SELECT NULL").Scan(&text),
		"a wrong place":    store.QueryRow("SELECT 1").Scan(new(int8)),
		"a wrong argument": store.QueryRow("SELECT ?", day).Scan(&n),
		"no such table":    store.QueryRow("SELECT * FROM nothing").Scan(&n),
	} {
		if err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	if err := store.QueryRow("SELECT 1 WHERE 0").Scan(&n); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("no row: %v", err)
	}
}

// TestBulkFlush: others see what was flushed, and all of it.
func TestBulkFlush(t *testing.T) {
	ctx, p := context.Background(), engine.DefaultPolicy()
	path := filepath.Join(t.TempDir(), "day.db")
	store, err := sqlitestore.OpenBulk(ctx, path, sqlitestore.BulkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Script("CREATE TABLE step (seq INTEGER PRIMARY KEY, outcome TEXT)"); err != nil {
		t.Fatal(err)
	}
	openAccounts(t, store, 1000)
	if err := store.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	db := plain(t, path)
	count := func(table string) (n int) {
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i := range 100 {
		payOnce(t, store, p, i)
		if err := store.Exec("INSERT INTO step VALUES (?, ?)", i, "created"); err != nil {
			t.Fatal(err)
		}
	}
	if n := count("transfer"); n != 0 {
		t.Errorf("%d transfers are seen before they are flushed", n)
	}
	if err := store.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"transfer", "transfer_claim", "idempotency_key", "step"} {
		if n := count(table); n != 100 {
			t.Errorf("%s has %d rows after the flush, want 100", table, n)
		}
	}
	var off int
	err = db.QueryRow(`SELECT count(*) FROM account a WHERE balance <> ? - (SELECT coalesce(sum(amount), 0) FROM transfer WHERE src = a.acct_id)
		+ (SELECT coalesce(sum(amount), 0) FROM transfer WHERE dst = a.acct_id)`, int64(1)<<50).Scan(&off)
	if err != nil || off != 0 {
		t.Errorf("%d balances are not the sum of their transfers, %v", off, err)
	}
	payOnce(t, store, p, 100)
	if err := store.Close(); err != nil { // which flushes
		t.Fatal(err)
	}
	// The live form goes on where the day ended.
	live := openLive(t, path, sqlitestore.Options{})
	defer live.Close()
	payOnce(t, live, p, 101)
	var index string
	if err := db.QueryRow("SELECT name FROM sqlite_schema WHERE type = 'index' AND name = 'idempotency_key_claimed_at'").Scan(&index); err != nil {
		t.Errorf("the index of the purge: %v", err)
	}
	if n := count("transfer"); n != 102 {
		t.Errorf("%d transfers after two more", n)
	}
}

// TestBulkBroken: after a write that failed nothing pretends to work.
func TestBulkBroken(t *testing.T) {
	ctx := context.Background()
	store := openBulkDay(t).(*sqlitestore.Bulk)
	defer store.Close()
	openAccounts(t, store, 1)
	var pages int64
	if err := store.QueryRow("PRAGMA max_page_count = 30").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	put := func() error {
		return store.Update(ctx, func(tx engine.Tx) error { return tx.PutDocument(ctx, "k", "i", make([]byte, 1<<20)) })
	}
	if err := put(); err != nil {
		t.Errorf("what is not written yet: %v", err)
	}
	if err := store.Flush(ctx); !errors.Is(err, engine.ErrUnavailable) {
		t.Errorf("a full disk: %v", err)
	}
	for what, err := range map[string]error{
		"view":  store.View(ctx, func(engine.Tx) error { return nil }),
		"put":   put(),
		"flush": store.Flush(ctx),
		"query": store.QueryRow("SELECT 1").Scan(&pages),
		"exec":  store.Exec("SELECT 1"),
	} {
		if !errors.Is(err, engine.ErrUnavailable) {
			t.Errorf("%s after a full disk: %v", what, err)
		}
	}
}

// TestBulkStatementFails: a statement of the user's own that fails in its turn is
// told by what comes next, with its cause.
func TestBulkStatementFails(t *testing.T) {
	store := openBulkDay(t).(*sqlitestore.Bulk)
	defer store.Close()
	if err := store.Exec("INSERT INTO missing VALUES (?)", day); err == nil {
		t.Error("a time as an argument is no error")
	}
	if err := store.Exec("INSERT INTO missing VALUES (?)", 1); err != nil {
		t.Fatal(err)
	}
	var n int64
	err := store.QueryRow("SELECT 1").Scan(&n)
	if !errors.Is(err, engine.ErrUnavailable) || !strings.Contains(err.Error(), "no such table: missing") {
		t.Errorf("after a statement that cannot run: %v", err)
	}
}
