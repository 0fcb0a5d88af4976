package verify_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"idem/engine/sqlitestore"
)

// TestForeignLedgersHold: the tables of someone else, whatever types they keep
// amounts and ids in, with a transfer that was there before.
func TestForeignLedgersHold(t *testing.T) {
	for name, c := range map[string]struct{ account, rows, transfer string }{
		"untyped":          {"acct_id, holder, balance", "('A','a',100),(7,'b',0)", "transfer_id, src, dst, amount, currency, created_at"},
		"texts":            {"acct_id TEXT PRIMARY KEY, holder TEXT, balance TEXT", "('A','a','100'),('7','b','0')", "transfer_id TEXT, src TEXT, dst TEXT, amount TEXT, currency TEXT, created_at TEXT"},
		"real numbers":     {"acct_id, holder, balance REAL", "('A','a',100.0),(7,'b',0.0)", "transfer_id, src, dst, amount REAL, currency, created_at"},
		"without case":     {"acct_id TEXT COLLATE NOCASE PRIMARY KEY, holder, balance", "('A','a',100),('7','b',0)", "transfer_id TEXT PRIMARY KEY, src, dst, amount INTEGER, currency, created_at, note DEFAULT 'x'"},
		"an overdrawn one": {"acct_id, holder, balance", "('A','a',100),(7,'b',-50)", "transfer_id, src, dst, amount, currency, created_at"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "foreign.db")
			execute(t, path, "CREATE TABLE account ("+c.account+"); INSERT INTO account VALUES "+c.rows+
				"; CREATE TABLE transfer ("+c.transfer+"); INSERT INTO transfer (transfer_id, src, dst, amount, currency, created_at) VALUES ('old', 'A', 7, 1, 'KRW', 'long ago')")
			s, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{})
			must(t, err)
			for i := range 3 {
				pay(t, s, fmt.Sprint("k", i), fmt.Sprint("T", i), 5)
			}
			must(t, s.Close())
			r, err := audit(t, path, nil)
			must(t, err)
			if text := found(t, path, nil); text != "" || r.Head.N != 3 {
				t.Errorf("%d transfers are chained, and found is\n%s", r.Head.N, text)
			}
			execute(t, path, "UPDATE transfer SET amount = 6 WHERE transfer_id = 'T1'")
			if text := found(t, path, nil); !strings.Contains(text, `chain: transfer "T1", place 2`) {
				t.Errorf("an edit: found is\n%s", text)
			}
			execute(t, path, "UPDATE transfer SET amount = '5x' WHERE transfer_id = 'T1'")
			if text := found(t, path, nil); !strings.Contains(text, `chain: transfer "T1", place 2`) {
				t.Errorf("an amount that begins like it: found is\n%s", text)
			}
		})
	}
}
