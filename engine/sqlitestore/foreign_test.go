package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/sqlitestore"
	"idem/engine/storetest"
)

// TestForeignLedger pays from accounts of someone else's database, whatever
// types it keeps them in. A transfer takes over the stored id, so that a join
// finds it.
func TestForeignLedger(t *testing.T) {
	for name, c := range map[string]struct{ create, insert, types string }{
		"untyped, integers": {"acct_id, holder, balance", "(1,'a',100),(2,'b',0)", "integer integer"},
		"untyped, texts":    {"acct_id, holder, balance", "('1','a',100),('2','b',0)", "text text"},
		"untyped, both":     {"acct_id, holder, balance", "(1,'a',100),('2','b',0)", "integer text"},
		"INTEGER":           {"acct_id INTEGER PRIMARY KEY, holder TEXT, balance INTEGER", "(1,'a',100),(2,'b',0)", "integer integer"},
		"TEXT":              {"acct_id TEXT PRIMARY KEY, holder TEXT, balance INTEGER", "('1','a',100),('2','b',0)", "text text"},
		"TEXT, no case":     {"acct_id TEXT COLLATE NOCASE PRIMARY KEY, holder, balance", "('1','a',100),('2','b',0)", "text text"},
		"balance as text":   {"acct_id, holder, balance TEXT", "('1',NULL,'100'),('2',5,'0')", "text text"},
		"balance as real":   {"acct_id, holder, balance REAL", "('1',NULL,100.0),('2',NULL,0.0)", "text text"},
		"more columns":      {"x, acct_id VARCHAR(9) UNIQUE, holder, balance, y DEFAULT 3", "('x','1','a',100,1),('x','2','b',0,1)", "text text"},
		"no row id":         {"acct_id TEXT PRIMARY KEY, holder, balance, CHECK (balance >= 0)) WITHOUT ROWID; SELECT (1", "('1','a',100),('2','b',0)", "text text"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "foreign.db")
			db := plain(t, path)
			execute(t, db, "PRAGMA user_version = 77", "CREATE TABLE account ("+c.create+")", "INSERT INTO account VALUES "+c.insert)
			store := openLive(t, path, sqlitestore.Options{NoCreate: true})
			defer store.Close()
			payForeign(t, store)
			var types string
			var sum, joined, version int
			err := db.QueryRow(`SELECT typeof(src) || ' ' || typeof(dst) FROM transfer`).Scan(&types)
			if err != nil || types != c.types {
				t.Errorf("stored ids are %s, %v; want %s", types, err, c.types)
			}
			if err := db.QueryRow(`SELECT count(*) FROM transfer JOIN account s ON s.acct_id = src JOIN account d ON d.acct_id = dst`).Scan(&joined); err != nil || joined != 1 {
				t.Errorf("a join finds %d transfers, %v", joined, err)
			}
			if err := db.QueryRow(`SELECT sum(balance) FROM account`).Scan(&sum); err != nil || sum != 100 {
				t.Errorf("sum of balances %d, %v", sum, err)
			}
			if err := db.QueryRow(`PRAGMA user_version`).Scan(&version); err != nil || version != 77 {
				t.Errorf("user_version %d, %v: it is the owner's", version, err)
			}
		})
	}
}

func payForeign(t *testing.T, store engine.Store) {
	t.Helper()
	ctx, p := context.Background(), engine.DefaultPolicy()
	c, err := claimOf(p, "k", day)
	if err != nil {
		t.Fatal(err)
	}
	v, err := store.Claim(ctx, c, p)
	if err != nil {
		t.Fatal(err)
	}
	_, settled, err := store.Complete(ctx, engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: day}, p,
		func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			o := engine.Order{Src: engine.AccountRef{Text: "1", JSON: []byte("1")}, Dst: engine.AccountRef{Text: "2", JSON: []byte("2")}, Amount: 30, Currency: "KRW"}
			return engine.Pay(ctx, tx, o, "T1", day)
		})
	if err != nil || settled != engine.Kept {
		t.Fatalf("pay: %v, %v", settled, err)
	}
	err = store.View(ctx, func(tx engine.Tx) error {
		for id, want := range map[string]int64{"1": 70, "2": 30} {
			if a, err := tx.Account(ctx, id); err != nil || a == nil || a.Balance != want {
				t.Errorf("account %s is %+v, %v; want balance %d", id, a, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestForeignLedgerFaults(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	account := func(t *testing.T, name, id string, statements ...string) (*engine.Account, error) {
		path := filepath.Join(dir, name)
		execute(t, plain(t, path), statements...)
		store := openLive(t, path, sqlitestore.Options{})
		defer store.Close()
		var a *engine.Account
		err := store.View(ctx, func(tx engine.Tx) (err error) {
			a, err = tx.Account(ctx, id)
			return err
		})
		return a, err
	}
	if a, err := account(t, "two", "7", "CREATE TABLE account (acct_id, holder, balance)", "INSERT INTO account VALUES (7,'a',1),('7','b',2)"); !errors.Is(err, sqlitestore.ErrAmbiguousAccount) {
		t.Errorf("two accounts under one text: %+v, %v", a, err)
	}
	if a, err := account(t, "case", "a", "CREATE TABLE account (acct_id TEXT COLLATE NOCASE, holder, balance)", "INSERT INTO account VALUES ('A','a',1)"); a != nil || err != nil {
		t.Errorf("an account in another case: %+v, %v", a, err)
	}
	for _, balance := range []string{"NULL", "1.5", "'much'", "x'01'", "1e300"} {
		if a, err := account(t, "balance"+balance, "1", "CREATE TABLE account (acct_id, holder, balance)", "INSERT INTO account VALUES (1,'a',"+balance+")"); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("a balance of %s: %+v, %v", balance, a, err)
		}
	}
	for name, create := range map[string]string{
		"no balance":                          "CREATE TABLE account (acct_id, holder)",
		"no id":                               "CREATE TABLE account (id, holder, balance)",
		"a transfer table of another kind":    "CREATE TABLE transfer (id, amount)",
		"a transfer with a column of its own": "CREATE TABLE transfer (transfer_id, src, dst, amount, currency, created_at, teller TEXT NOT NULL)",
	} {
		path := filepath.Join(dir, name)
		db := plain(t, path)
		execute(t, db, create)
		if _, err := sqlitestore.Open(ctx, path, sqlitestore.Options{}); !errors.Is(err, sqlitestore.ErrSchema) {
			t.Errorf("%s: %v, want ErrSchema", name, err)
		}
		var tables int
		if err := db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").Scan(&tables); err != nil || tables != 1 {
			t.Errorf("%s: the file has %d tables, %v; want it left alone", name, tables, err)
		}
	}
}

// A view of accounts cannot be paid from; a column that need not be given can stay.
func TestForeignShapes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "view")
	execute(t, plain(t, path), "CREATE TABLE people (acct_id, holder, balance)", "CREATE VIEW account AS SELECT * FROM people")
	if _, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{}); !errors.Is(err, sqlitestore.ErrSchema) || !strings.Contains(err.Error(), "account is a view") {
		t.Errorf("a view: %v, want ErrSchema", err)
	}
	path = filepath.Join(dir, "more")
	execute(t, plain(t, path), "CREATE TABLE account (acct_id, holder, balance)", "INSERT INTO account VALUES (1,'a',100),(2,'b',0)",
		"CREATE TABLE transfer (n INTEGER PRIMARY KEY, transfer_id, src, dst, amount, currency, created_at, teller TEXT NOT NULL DEFAULT '-', note)")
	store := openLive(t, path, sqlitestore.Options{})
	defer store.Close()
	payForeign(t, store)
	path = filepath.Join(dir, "numbered")
	execute(t, plain(t, path), "CREATE TABLE account (acct_id, holder, balance)", "INSERT INTO account VALUES (1,'a',100),(2,'b',0)",
		`CREATE TABLE transfer ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, transfer_id, src, dst, amount, currency, created_at)`,
		"CREATE TABLE audit (n)", "CREATE TRIGGER account AFTER INSERT ON transfer BEGIN INSERT INTO audit VALUES (1); END")
	numbered := openLive(t, path, sqlitestore.Options{})
	defer numbered.Close()
	payForeign(t, numbered)
	for i, create := range []string{
		"CREATE TABLE transfer (id INTEGER NOT NULL PRIMARY KEY, transfer_id, src, dst, amount, currency, created_at) WITHOUT ROWID",
		"CREATE TABLE transfer (id TEXT NOT NULL PRIMARY KEY, transfer_id, src, dst, amount, currency, created_at)",
	} {
		path = filepath.Join(dir, fmt.Sprint("unnumbered", i))
		execute(t, plain(t, path), create)
		if _, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{}); !errors.Is(err, sqlitestore.ErrSchema) {
			t.Errorf("%s: %v, want ErrSchema", create, err)
		}
	}
}

func TestNewest(t *testing.T) {
	store := openLive(t, filepath.Join(t.TempDir(), "live.db"), sqlitestore.Options{})
	defer store.Close()
	storetest.Newest(t, store, edit)
}

// TestForeignTransfer uses a transfer table that was there, without any key.
func TestForeignTransfer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "foreign.db")
	execute(t, plain(t, path), "CREATE TABLE account (acct_id, holder, balance)", "INSERT INTO account VALUES (1,'a',100),(2,'b',0)",
		"CREATE TABLE transfer (transfer_id, src, dst, amount, currency, created_at)")
	store := openLive(t, path, sqlitestore.Options{})
	defer store.Close()
	payForeign(t, store)
}

func TestPathsAndModes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a b", "a?mode=memory", "a#b", "a%41", "'\"", "new\nline", "가", "file:x", ":memory:", "-x", "a&b=c;d", "back\\slash", "\xff"} {
		for _, path := range []string{name, filepath.Join(dir, "abs "+name), "/" + filepath.Join(dir, "two slashes "+name)} {
			store := openLive(t, path, sqlitestore.Options{})
			if err := openTwo(store); err != nil {
				t.Fatal(err)
			}
			for _, suffix := range []string{"", "-wal", "-shm"} {
				info, err := os.Stat(path + suffix)
				if err != nil || info.Mode() != 0o600 || info.Size() == 0 {
					t.Errorf("%q: %v, %v; want a file of mode 0600", path+suffix, info, err)
				}
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3*13 {
		t.Errorf("%d files after closing, %v; want only those that were named: %v", len(entries), err, entries)
	}
}

func TestTimesOutOfRange(t *testing.T) {
	ctx, p := context.Background(), engine.DefaultPolicy()
	bulk, live := newBulk(t), newLive(t)
	for _, store := range []engine.Store{bulk, live} {
		defer store.Close()
		for _, now := range []time.Time{{}, time.Date(1677, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2262, 4, 11, 23, 47, 16, 854775808, time.UTC), time.Date(2262, 4, 11, 23, 47, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
			c, err := claimOf(p, fmt.Sprint(now), now)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := store.Claim(ctx, c, p); !errors.Is(err, engine.ErrTime) {
				t.Errorf("a claim at %v: %v, %v; want engine.ErrTime", now, v.Outcome, err)
			}
		}
		c, err := claimOf(p, "k", day)
		if err != nil {
			t.Fatal(err)
		}
		v, err := store.Claim(ctx, c, p)
		if err != nil {
			t.Fatal(err)
		}
		late := engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)}
		forever := p
		forever.Retention = engine.Forever
		_, _, err = store.Complete(ctx, late, forever, func(context.Context, engine.Tx) (engine.Reply, error) { return engine.Reply{Status: 201}, nil })
		if !errors.Is(err, engine.ErrTime) {
			t.Errorf("a completion in 2300: %v, want engine.ErrTime", err)
		}
	}
}

// TestTextsWithNUL: a JSON key may hold one, and it is part of the key.
func TestTextsWithNUL(t *testing.T) {
	ctx, p := context.Background(), engine.DefaultPolicy()
	store := newLive(t)
	defer store.Close()
	for _, key := range []string{"a", "a\x00", "a\x00b", "\x00", "\xff", "\xfe"} {
		c, err := claimOf(p, key, day)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := store.Claim(ctx, c, p); err != nil || v.Outcome != engine.Fresh {
			t.Errorf("%q: %v, %v", key, v.Outcome, err)
		}
		if v, err := store.Claim(ctx, c, p); err != nil || v.Outcome != engine.InFlight || v.Record.Key.Key != key {
			t.Errorf("%q again: %v, %v", key, v.Outcome, err)
		}
	}
}
