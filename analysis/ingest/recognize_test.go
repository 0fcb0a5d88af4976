package ingest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"idem/engine/sqlitestore/sqlfile"
	"idem/fixtures"
)

// TestIncidentIsRecognised: what is an incident database already, as a server
// records it, is told from any other database.
func TestIncidentIsRecognised(t *testing.T) {
	dir := t.TempDir()
	lab, other := filepath.Join(dir, "lab.db"), filepath.Join(dir, "other.db")
	if err := fixtures.Generate(t.Context(), lab, fixtures.Lab()); err != nil {
		t.Fatal(err)
	}
	db, err := sqlfile.Open(sqlfile.URI(other), sqlfile.Create)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Exec(t.Context(), "CREATE TABLE transfers (id TEXT)"), db.Close()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{lab: "is an incident database already", other: "name its table"} {
		_, err := Import(t.Context(), Options{Requests: []string{path}, Out: filepath.Join(dir, "out.db")})
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out.db")); err == nil {
		t.Error("a file was made")
	}
}
