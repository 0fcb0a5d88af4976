package sqlfile

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

func open(t *testing.T, name string, mode Mode) *DB {
	t.Helper()
	db, err := Open(name, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestValuesSurvive(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a b?c#d%25e'f\"g\nh.db")
	db := open(t, URI(path), Create)
	if err := db.Exec(ctx, "CREATE TABLE t(a, b, c)"); err != nil {
		t.Fatal(err)
	}
	texts := []string{"", "a", "nul\x00inside", strings.Repeat("가", 5000), strings.Repeat("x", 100_000), "again"}
	ins, err := db.Query(ctx, "INSERT INTO t VALUES (?, ?, ?)")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range texts {
		ins.BindInt(1, int64(i)-2)
		ins.BindText(2, v)
		ins.BindText(3, v+"!")
		if err := ins.Run(); err != nil {
			t.Fatal(err)
		}
	}
	ins.Close()
	rows, err := db.Query(ctx, "SELECT a, b, c, NULL, 1.5, x'6100' FROM t ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		if rows.Int(0) != int64(n)-2 || rows.String(1) != texts[n] || rows.String(2) != texts[n]+"!" {
			t.Fatalf("row %d differs", n)
		}
		want := []Type{Integer, Text, Text, Null, Real, Blob}
		for i, w := range want {
			if got := rows.Type(i); got != w {
				t.Fatalf("column %d: type %d, want %d", i, got, w)
			}
		}
		if rows.Bytes(3) != nil || rows.String(5) != "a\x00" {
			t.Fatal("null or blob differs")
		}
	}
	if rows.Err() != nil || n != len(texts) {
		t.Fatal(rows.Err(), n)
	}
}

func TestCancelEndsAStatement(t *testing.T) {
	for range 50 {
		cancelOne(t)
	}
}

func cancelOne(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	db := open(t, ":memory:", Create)
	rows, err := db.Query(ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n")
	if err != nil {
		t.Fatal(err)
	}
	go cancel()
	if rows.Next() {
		t.Fatal("an endless query ended")
	}
	if err := rows.Close(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestOpenDoesNotCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing.db")
	_, err := Open(URI(path, "mode=ro"), ReadOnly)
	var e *Error
	if !errors.As(err, &e) || e.Primary() != CantOpen {
		t.Fatalf("got %v", err)
	}
}

// TestCellsLieSideBySide holds what Stmt.cell relies on, and that reading a
// cell directly gives what the C interface gives, in every encoding.
func TestCellsLieSideBySide(t *testing.T) {
	ctx := context.Background()
	for _, encoding := range []string{"UTF-8", "UTF-16le", "UTF-16be"} {
		db := open(t, ":memory:", Create)
		if err := db.Exec(ctx, "PRAGMA encoding='"+encoding+`'; CREATE TABLE t(a, b REAL, c, d, e TEXT, f, g);
			INSERT INTO t VALUES (-7, 5, 'a한b', x'00ff', 12, NULL, zeroblob(3)), ('', 1e300, '', x'', '', 9223372036854775807, 1)`); err != nil {
			t.Fatal(err)
		}
		s, err := db.Query(ctx, "SELECT *, a || c, 1.0, CAST(b AS TEXT), b + 0 FROM t ORDER BY rowid")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for s.Next() {
			for i := range 11 {
				if at := sqlite3.Xsqlite3_column_value(db.tls, s.stmt, int32(i)); at != uintptr(unsafe.Pointer(s.cell(i))) {
					t.Fatalf("column %d is elsewhere", i)
				}
				typ, n, b := s.Type(i), s.Int(i), s.String(i)
				if want := Type(sqlite3.Xsqlite3_column_type(db.tls, s.stmt, int32(i))); typ != want {
					t.Fatalf("%s column %d: type %d, want %d", encoding, i, typ, want)
				}
				if want := sqlite3.Xsqlite3_column_int64(db.tls, s.stmt, int32(i)); n != want {
					t.Fatalf("%s column %d: %d, want %d", encoding, i, n, want)
				}
				if want := libc.GoString(sqlite3.Xsqlite3_column_text(db.tls, s.stmt, int32(i))); typ != Blob && b != want {
					t.Fatalf("%s column %d: %q, want %q", encoding, i, b, want)
				}
			}
		}
	}
}
