package analysis

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// made opens an incident made by SQL.
func made(t *testing.T, sql string) (*Incident, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "i.db")
	run(t, path, sql)
	in, err := Open(context.Background(), path)
	if err == nil {
		t.Cleanup(func() { in.Close() })
	}
	return in, err
}

const (
	plainAccount  = "CREATE TABLE account(acct_id, holder, balance);"
	plainRequest  = "CREATE TABLE req_log(seq INTEGER PRIMARY KEY, received_at, client_id, endpoint, idem_key, body);"
	plainTransfer = "CREATE TABLE transfer_v1(transfer_id, seq, idem_key, src, dst, amount, currency, created_at);"
	oneRequest    = " VALUES (1, '2026-03-10T09:00:00Z', 'c', '/', 'k', '{}');"
	oneTransfer   = " VALUES ('T1', 1, 'k', 'a', 'b', 5, 'KRW', '2026-03-10T09:00:00Z');"
)

func TestSchemas(t *testing.T) {
	for name, sql := range map[string]string{
		"plain":            plainAccount + plainRequest + plainTransfer + "INSERT INTO req_log" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"upper case":       strings.ToUpper(plainAccount+plainRequest+plainTransfer) + "INSERT INTO req_log" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"synonyms":         plainAccount + `CREATE TABLE req_log(req_seq INTEGER, TS, client, path, "idempotency-key", payload); CREATE TABLE transfer_v1(tx_id, Request_ID, key, source, destination, amount_minor, ccy, at); INSERT INTO req_log` + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"extra columns":    `CREATE TABLE extra(x); CREATE TABLE account(acct_id, holder, balance, "x""y"); CREATE TABLE req_log(seq INTEGER PRIMARY KEY, received_at, client_id, endpoint, idem_key, body, rowid TEXT, "a b", "q""uote", note);` + plainTransfer + "INSERT INTO req_log(seq, received_at, client_id, endpoint, idem_key, body)" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"every rowid name": plainAccount + `CREATE TABLE req_log(seq INTEGER, received_at, client_id, endpoint, idem_key, body, rowid, _rowid_, oid);` + plainTransfer + "INSERT INTO req_log(seq, received_at, client_id, endpoint, idem_key, body)" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"views":            strings.ReplaceAll(plainAccount+plainRequest+plainTransfer, "TABLE ", "TABLE base_") + "CREATE VIEW account AS SELECT * FROM base_account; CREATE VIEW req_log AS SELECT * FROM base_req_log; CREATE VIEW transfer_v1 AS SELECT * FROM base_transfer_v1; INSERT INTO base_req_log" + oneRequest + "INSERT INTO base_transfer_v1" + oneTransfer,
		"without rowid":    plainAccount + "CREATE TABLE req_log(seq INTEGER PRIMARY KEY, received_at, client_id, endpoint, idem_key, body) WITHOUT ROWID; CREATE TABLE transfer_v1(transfer_id PRIMARY KEY, seq, idem_key, src, dst, amount, currency, created_at) WITHOUT ROWID; INSERT INTO req_log" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"csv import":       strings.ReplaceAll(plainAccount+strings.Replace(plainRequest, " INTEGER PRIMARY KEY", "", 1)+plainTransfer, ",", " TEXT,") + "INSERT INTO req_log" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"declared times":   plainAccount + "CREATE TABLE req_log(seq INTEGER PRIMARY KEY, received_at DATETIME, client_id, endpoint, idem_key, body); CREATE TABLE transfer_v1(transfer_id, seq, idem_key, src, dst, amount DECIMAL, currency, created_at TIMESTAMP); INSERT INTO req_log" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"utf-16":           "PRAGMA encoding='UTF-16';" + plainAccount + plainRequest + plainTransfer + "INSERT INTO req_log" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
		"generated column": plainAccount + "CREATE TABLE req_log(id INTEGER PRIMARY KEY, seq AS (id) VIRTUAL, received_at, client_id, endpoint, idem_key, body); INSERT INTO req_log" + oneRequest + plainTransfer + "INSERT INTO transfer_v1" + oneTransfer,
		"triggers":         plainAccount + plainRequest + plainTransfer + "CREATE TRIGGER x AFTER INSERT ON req_log BEGIN SELECT 1; END; INSERT INTO req_log" + oneRequest + "INSERT INTO transfer_v1" + oneTransfer,
	} {
		t.Run(name, func(t *testing.T) {
			in, err := made(t, sql)
			if err != nil {
				t.Fatal(err)
			}
			d, err := in.Duplicates(context.Background(), nil)
			if err != nil || d.Requests != 1 || d.UniqueKeys != 1 || d.Transfers != 1 || d.V1Total.Of("KRW") != 5 || len(d.Bad) != 0 || d.UnmatchedCount != 0 {
				t.Fatalf("%+v %v", d, err)
			}
			for r, err := range in.Requests(context.Background(), 1) {
				if err != nil || r.Seq != 1 || r.Unusable != "" || len(r.Transfers) != 1 || r.ReceivedAt.IsZero() {
					t.Fatalf("%+v %v", r, err)
				}
			}
			r, err := in.Request(context.Background(), 1)
			if err != nil || r.N != 1 || len(r.Transfers) != 1 {
				t.Fatalf("%+v %v", r, err)
			}
			if _, err := in.Request(context.Background(), 2); !errors.Is(err, ErrNotFound) {
				t.Fatal(err)
			}
		})
	}
}

func TestSchemaErrors(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{plainRequest + plainTransfer, `table account is missing; found: "req_log", "transfer_v1"`},
		{plainAccount + plainRequest + "CREATE TABLE transfer_v1(transfer_id, seq, idem_key, src, dst, currency, created_at)", `table transfer_v1: column amount is missing (also known as "amount_minor", "minor_units"); found: "transfer_id", "seq"`},
		{plainAccount + "CREATE TABLE req_log(seq, ts, time, client_id, endpoint, idem_key, body);" + plainTransfer, `table req_log: column received_at could be any of "ts", "time"`},
		{plainAccount + "CREATE TABLE req_log(seq, ts, client_id, endpoint, idem_key, KEY, body);" + plainTransfer, `column idem_key could be any of "idem_key", "KEY"`},
		{"SELECT 1", "table account is missing; found: nothing"},
		{"CREATE TABLE \"\x1b[31m\nx\"(a)", `"\x1b[31m\nx"`},
	} {
		_, err := made(t, "PRAGMA user_version=1;"+c.sql)
		if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

func TestSynonymsAreClosed(t *testing.T) {
	for _, table := range Schema() {
		seen := map[string]string{}
		for _, c := range table.Columns {
			for _, name := range append([]string{c.Name}, c.Synonyms...) {
				if other, ok := seen[strings.ToLower(name)]; ok {
					t.Errorf("%s: %s means %s and %s", table.Name, name, other, c.Name)
				}
				seen[strings.ToLower(name)] = c.Name
			}
		}
	}
	if n := len(transferColumns); n != tCreated+1 {
		t.Errorf("transfer_v1 has %d columns", n)
	}
	if n := len(requestColumns); n != rAttempts+1 {
		t.Errorf("req_log has %d columns", n)
	}
}

func TestNullEmptyAndNullTextAreShownApart(t *testing.T) {
	in, err := made(t, plainAccount+plainRequest+plainTransfer+fmt.Sprintf(`INSERT INTO transfer_v1 VALUES
		('T1', 1, 'k', 'a', 'b', NULL, 'KRW', 'x'), ('T2', 1, 'k', 'a', 'b', '', 'KRW', 'x'), ('T3', 1, 'k', 'a', 'b', 'NULL', 'KRW', 'x'),
		('T4', 1, 'k', 'a', 'b', x'00ff', 'KRW', 'x'), ('T5', 1, 'k', 'a', 'b', 1.5, 'KRW', 'x'), ('T6', 1, 'k', 'a', 'b', '%s', 'KRW', 'x')`, strings.Repeat("가", 100)))
	if err != nil {
		t.Fatal(err)
	}
	d, err := in.Duplicates(context.Background(), nil)
	if err != nil || d.BadTransfers != 6 {
		t.Fatal(d, err)
	}
	for i, want := range []string{"NULL", "''", "'NULL'", "x'00ff'", "1.5", "'" + strings.Repeat("가", 66) + "'…"} {
		if got := d.Bad[i].Value; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
