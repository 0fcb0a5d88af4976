package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"idem/engine/pgstore"
	"idem/engine/pgstore/pgtest"
)

// The database of a payment API on Postgres is audited by its connection string,
// and its head kept; one that cannot be reached is exit code 3.
func TestVerifyPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Postgres")
	}
	db, err := pgtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	dsn := db.DSN("postgres")
	s, err := pgstore.Open(context.Background(), dsn, pgstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	head := filepath.Join(t.TempDir(), "pay.head")
	run := func(code int, want string) {
		t.Helper()
		var out, errw bytes.Buffer
		got := Main([]string{"verify", dsn, "--head", head}, strings.NewReader(""), &out, &errw)
		if text := out.String() + errw.String(); got != code || !strings.Contains(text, want) {
			t.Errorf("exit code %d, want %d with %q:\n%s", got, code, want, text)
		}
	}
	run(exitDone, "kept in "+head)
	run(exitDone, "compared with the 0 transfers of "+head)
	if err := db.Stop(); err != nil {
		t.Fatal(err)
	}
	run(exitUnreadable, "verify the database")
}
