// Package pgtest runs a real Postgres for tests: Debian's binaries, a folder of
// its own, a unix socket and no port.
//
// A test package has one server, started by the first test that asks for a
// database, and calls [Main] to have it stopped:
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	func TestStore(t *testing.T) {
//		store, err := pgstore.Open(t.Context(), pgtest.Database(t), pgstore.Options{})
//		...
//
// fsync stays on: durability is part of what is tested. Where there are no
// binaries the tests fail and say what to install; they are never skipped. The
// server ends with the test process, also when that panics or is killed, and a
// later run removes the folder of one that could not.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	shared      = sync.OnceValues(Start)
	sharedInUse atomic.Bool
	databases   atomic.Int64
)

// Main runs the tests of a package, stops its server and exits.
func Main(m *testing.M) {
	status := m.Run()
	if sharedInUse.Load() {
		if s, err := shared(); err == nil {
			if err := s.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				status = 1
			}
		}
	}
	os.Exit(status)
}

// Shared is the test package's server.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	sharedInUse.Store(true)
	s, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// Database makes an empty database on the package's server, which is dropped
// when the test has ended, and returns its connection string.
func Database(tb testing.TB) string {
	tb.Helper()
	return Shared(tb).Database(tb)
}

// Schema makes an empty schema in a database and returns the connection string
// whose search_path it is. That takes a tenth of the time of a database.
func Schema(tb testing.TB, dsn string) string {
	tb.Helper()
	name := fmt.Sprintf("s%d", databases.Add(1))
	execute(tb, dsn, "CREATE SCHEMA "+name)
	return With(tb, dsn, "search_path", name)
}

// Database makes an empty database, which is dropped when the test has ended.
func (s *Server) Database(tb testing.TB) string {
	tb.Helper()
	name := fmt.Sprintf("t%d", databases.Add(1))
	execute(tb, s.DSN("postgres"), "CREATE DATABASE "+name)
	tb.Cleanup(func() { execute(tb, s.DSN("postgres"), "DROP DATABASE "+name+" WITH (FORCE)") })
	return s.DSN(name)
}

// With is a connection string with one more setting.
func With(tb testing.TB, dsn, name, value string) string {
	tb.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		tb.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // Postgres knows no plus
	return u.String()
}

func execute(tb testing.TB, dsn, text string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		tb.Fatalf("connect: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, text); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
}
