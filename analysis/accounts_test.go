package analysis

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestAccountsOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	// No requests, no transfers, other names, and a log that holds the last row.
	run(t, path, `PRAGMA journal_mode = WAL; CREATE TABLE account(account INTEGER PRIMARY KEY, owner, opening_balance);
		INSERT INTO account VALUES (7, 'seven', 70), (11, NULL, -5)`)
	h := holder(t, path, "INSERT INTO account VALUES (9, 'nine', 90)")
	before := snapshot(t, filepath.Dir(path))
	accounts, bad, err := AccountsOf(context.Background(), path)
	want := []Account{{"11", true, "", -5}, {"7", true, "seven", 70}, {"9", true, "nine", 90}}
	if err != nil || len(bad) != 0 || !reflect.DeepEqual(accounts, want) {
		t.Errorf("accounts %+v, unusable %+v, %v", accounts, bad, err)
	}
	if after := snapshot(t, filepath.Dir(path)); after != before {
		t.Errorf("the folder was\n%s\nand is\n%s", before, after)
	}
	kill(h)
}

func TestAccountsThatCannotBeUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	run(t, path, plainAccount+"INSERT INTO account VALUES ('a', '', 1), ('a', '', 2), ('b', '', 'much'), (NULL, '', 3)")
	accounts, bad, err := AccountsOf(context.Background(), path)
	if err != nil || len(accounts) != 1 || len(bad) != 3 {
		t.Errorf("accounts %+v, unusable %+v, %v", accounts, bad, err)
	}
	for sql, says := range map[string]string{
		"CREATE TABLE other(x)":                              "table account is missing",
		"CREATE TABLE account(acct_id, holder)":              "column balance is missing",
		plainAccount + "ALTER TABLE account ADD COLUMN acct": "could be any of",
	} {
		path := filepath.Join(t.TempDir(), "other.db")
		run(t, path, sql)
		if _, _, err := AccountsOf(context.Background(), path); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, _, err := AccountsOf(context.Background(), filepath.Join(t.TempDir(), "nowhere.db")); !errors.Is(err, ErrUnreadable) {
		t.Errorf("no file: %v", err)
	}
}
