// Package tables gives a table of a database as CSV text, so that it is read
// like any other export: sqlite:FILE#TABLE and postgres://…#TABLE. Nothing is
// ever written to either, and no file is left beside an SQLite database.
package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"idem/crash"
)

// Table is a table being read: a header line, then its rows. An empty field is
// NULL or an empty text.
type Table struct {
	io.Reader
	// Path names the table without a password.
	Path string
	// Size and SHA256 are those of the database file; of a server's table there
	// are none ("").
	Size   int64
	SHA256 string
	close  func() error
}

// Close ends the reading.
func (t *Table) Close() error { return t.close() }

// Named reports whether a path names a table of a database.
func Named(path string) bool {
	return strings.HasPrefix(path, "sqlite:") || isServer(path)
}

func isServer(path string) bool {
	return strings.HasPrefix(path, "postgres://") || strings.HasPrefix(path, "postgresql://")
}

// Open opens the table that path names.
func Open(ctx context.Context, path string) (*Table, error) {
	cut := strings.LastIndexByte(path, '#')
	if cut < 0 || cut == len(path)-1 {
		return nil, fmt.Errorf("%s names no table: write it behind a #, as in sqlite:ledger.db#transfers", Shown(path))
	}
	database, table := path[:cut], path[cut+1:]
	var t *Table
	var err error
	if isServer(path) {
		t, err = openPostgres(ctx, database, table)
	} else {
		t, err = openSQLite(ctx, strings.TrimPrefix(database, "sqlite:"), table)
	}
	if err != nil {
		return nil, fmt.Errorf("open table %s: %w", Shown(path), err)
	}
	t.Path = Shown(path)
	return t, nil
}

// File is the database file that path names, and path itself where it names none.
func File(path string) string {
	if cut := strings.LastIndexByte(path, '#'); cut >= 0 && strings.HasPrefix(path, "sqlite:") {
		return path[len("sqlite:"):cut]
	}
	return path
}

// Shown is a path without its password.
func Shown(path string) string {
	if !isServer(path) {
		return path
	}
	u, err := url.Parse(path)
	if err != nil {
		return "postgres://…"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	if u.RawQuery != "" {
		q := u.Query()
		q.Del("password")
		q.Del("sslpassword")
		u.RawQuery = q.Encode()
	}
	return u.String()
}

// quoted is a table's name, with or without a schema, as an identifier.
func quoted(table string) string {
	schema, name, ok := strings.Cut(table, ".")
	if !ok {
		return quote(table)
	}
	return quote(schema) + "." + quote(name)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// piped runs write in a goroutine and reads what it writes.
func piped(write func(w io.Writer) error, stop func() error) *Table {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer crash.Catch(func(p *crash.Panic) { w.CloseWithError(p) })
		w.CloseWithError(write(w))
	}()
	return &Table{Reader: r, close: func() error {
		r.CloseWithError(errClosed)
		<-done
		return stop()
	}}
}

var errClosed = errors.New("reading has ended")
