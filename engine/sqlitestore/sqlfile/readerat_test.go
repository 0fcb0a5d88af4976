package sqlfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// bytesOf is a database of so many rows, as the bytes of its file.
func bytesOf(t *testing.T, rows int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.db")
	db, err := Open(URI(path), Create)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Exec(t.Context(), fmt.Sprintf(`CREATE TABLE t(a INTEGER PRIMARY KEY, b);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < %d) INSERT INTO t SELECT i, hex(randomblob(500)) FROM n`, rows))
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func openAt(t *testing.T, r io.ReaderAt, size int64) *DB {
	t.Helper()
	db, err := OpenAt(r, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func count(db *DB, sql string) (n int64, err error) {
	s, err := db.Query(context.Background(), sql)
	if err != nil {
		return 0, err
	}
	for s.Next() {
		n = s.Int(0)
	}
	return n, s.Close()
}

// A sort that does not fit the cache goes to a file of SQLite's own, not to ours.
func TestOpenAt(t *testing.T) {
	text := bytesOf(t, 5000)
	db := openAt(t, bytes.NewReader(text), int64(len(text)))
	for range 2 {
		n, err := count(db, "SELECT count(*) FROM (SELECT b FROM t ORDER BY b, a DESC LIMIT 4000)")
		if err != nil || n != 4000 {
			t.Fatal(n, err)
		}
	}
	if err := db.Exec(t.Context(), "DELETE FROM t"); err == nil {
		t.Error("written to")
	}
	if n, err := count(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"); err != nil || n != 1 {
		t.Error(n, err)
	}
}

func TestOpenAtCutShort(t *testing.T) {
	text := bytesOf(t, 100)
	db := openAt(t, bytes.NewReader(text[:8192]), 8192)
	var e *Error
	if _, err := count(db, "SELECT sum(length(b)) FROM t"); !errors.As(err, &e) || e.Primary() != Corrupt {
		t.Errorf("a database that ends early: %v", err)
	}
	db = openAt(t, bytes.NewReader(text[:8192]), int64(len(text)))
	if _, err := count(db, "SELECT sum(length(b)) FROM t"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a reader that ends early: %v", err)
	}
	for _, size := range []int64{0, 50} {
		db := openAt(t, bytes.NewReader(text[:size]), size)
		if _, err := count(db, "SELECT count(*) FROM t"); err == nil {
			t.Errorf("%d bytes are a database", size)
		}
	}
}

// failing gives an error from the so many-th read on.
type failing struct {
	*bytes.Reader
	left int
	err  error
}

func (f *failing) ReadAt(b []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, f.err
	}
	return f.Reader.ReadAt(b, off)
}

// TestAFailedReadIsToldAsItIs: also where SQLite goes on after it, as an integrity
// check does.
func TestAFailedReadIsToldAsItIs(t *testing.T) {
	text := bytesOf(t, 100)
	mine := errors.New("mine")
	for _, sql := range []string{"SELECT sum(length(b)) FROM t", "PRAGMA integrity_check", "SELECT b FROM t ORDER BY b"} {
		ended := false
		for reads := 0; !ended; reads++ {
			r := &failing{bytes.NewReader(text), reads, mine}
			db, err := OpenAt(r, int64(len(text))) // which reads the header
			if err == nil {
				_, err = count(db, sql)
				db.Close()
			}
			if ended = r.left >= 0; ended != (err == nil) || !ended && !errors.Is(err, mine) {
				t.Fatalf("%s after %d reads: %v", sql, reads, err)
			}
		}
	}
}
