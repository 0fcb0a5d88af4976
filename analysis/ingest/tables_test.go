package ingest

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"idem/analysis"
	"idem/fixtures"
)

// TestRoundTrip imports the tables of an incident: the incident that comes out
// says the same.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	lab := filepath.Join(dir, "lab.db")
	if err := fixtures.Generate(t.Context(), lab, fixtures.Lab()); err != nil {
		t.Fatal(err)
	}
	o := Options{
		Requests: []string{"sqlite:" + lab + "#req_log"}, Transfers: []string{"sqlite:" + lab + "#transfer_v1"},
		Accounts: []string{"sqlite:" + lab + "#account"}, Out: filepath.Join(dir, "out.db"),
	}
	o.Map.Transfers.AmountUnit, o.Map.Accounts.AmountUnit = "minor", "minor"
	r, err := Import(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	overwrite := o
	overwrite.Out, overwrite.Force = lab, true
	if _, err := Import(t.Context(), overwrite); !errors.Is(err, ErrUsage) {
		t.Errorf("a source was overwritten: %v", err)
	}
	if r.Assumed != 0 || r.Unmatched != 0 || len(r.Rejects) != 0 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff(duplicates(t, lab), duplicates(t, o.Out), cmp.Transformer("", func(m analysis.Money) string {
		text, err := m.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	})); diff != "" {
		t.Error(diff)
	}
}

func duplicates(t *testing.T, path string) []analysis.Group {
	t.Helper()
	in, err := analysis.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	d, err := in.Duplicates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.ExtraTransfers == 0 {
		t.Fatal("no duplicates")
	}
	return d.Groups
}
