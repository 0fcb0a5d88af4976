package tables

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"idem/engine/pgstore/pgtest"
	"idem/engine/sqlitestore/sqlfile"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func read(t *testing.T, path string) [][]string {
	t.Helper()
	table, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// write makes a database; with keep it is left as a writer that died leaves it.
func makeDB(t *testing.T, sql string, keep bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a ledger?#%.db")
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.Create)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	if keep {
		t.Cleanup(func() { db.Close() })
	} else if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

const ledger = `CREATE TABLE "my ""table" (id, amount, note);
INSERT INTO "my ""table" VALUES (1, 9007199254740993, 'a,"b' || char(10) || 'c'), ('x', NULL, x'4142')`

func TestSQLite(t *testing.T) {
	want := [][]string{{"id", "amount", "note"}, {"1", "9007199254740993", "a,\"b\nc"}, {"x", "", "AB"}}
	for name, sql := range map[string]string{"closed": ledger, "WAL": "PRAGMA journal_mode = WAL; " + ledger} {
		t.Run(name, func(t *testing.T) {
			path := makeDB(t, sql, name == "WAL")
			before := listing(t, path)
			if diff := cmp.Diff(want, read(t, "sqlite:"+path+`#my "table`)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, listing(t, path)); diff != "" {
				t.Errorf("files: %s", diff)
			}
		})
	}
	path := makeDB(t, ledger, false)
	for bad, want := range map[string]string{"sqlite:" + path + "#none": `there are my "table`, "sqlite:" + path: "#", "sqlite:/none/x.db#t": "no such file"} {
		if _, err := Open(t.Context(), bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// listing is what lies beside a file, with sizes.
func listing(t *testing.T, path string) map[string]int64 {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]int64{}
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		m[e.Name()] = info.Size()
	}
	return m
}

// TestClose: reading may end early.
func TestClose(t *testing.T) {
	path := makeDB(t, `CREATE TABLE t (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO t SELECT i FROM n`, false)
	table, err := Open(t.Context(), "sqlite:"+path+"#t")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(table, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestPostgres(t *testing.T) {
	dsn := pgtest.Database(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `CREATE TABLE "Moves" (id bigint, amount numeric(30,2), at timestamptz, local timestamp, note text);
		INSERT INTO "Moves" VALUES (1, 12345678901234567890.10, '2026-03-10 10:00:00.5+01', '2026-03-10 10:00:00', 'a,"b'), (2, NULL, NULL, NULL, '')`); err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"id", "amount", "at", "local", "note"},
		{"1", "12345678901234567890.10", "2026-03-10 09:00:00.5+00", "2026-03-10 10:00:00", "a,\"b"}, {"2", "", "", "", ""}}
	if diff := cmp.Diff(want, read(t, dsn+"#Moves")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, read(t, dsn+"#public.Moves")); diff != "" {
		t.Error(diff)
	}
	if _, err := Open(t.Context(), dsn+"#none"); err == nil || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"postgres://u:p%40ss@h/db?sslmode=disable&password=x#t": "postgres://u@h/db?sslmode=disable#t",
		"postgres://h/db#t":   "postgres://h/db#t",
		"sqlite:a.db#t":       "sqlite:a.db#t",
		"postgres://%zz/db#t": "postgres://…",
	} {
		if got := Shown(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
	if !slices.Equal([]bool{Named("a.csv"), Named("sqlite:a#b"), Named("postgresql://x#y")}, []bool{false, true, true}) {
		t.Error("Named")
	}
}
