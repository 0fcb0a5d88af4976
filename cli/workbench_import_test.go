package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"idem/analysis"
	"idem/tui"
)

// inFolder goes to a folder with a log whose times have no zone and a ledger.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"log.csv": "time,client,path,key,body,status\n" +
			"2026-03-10 09:00:00,m1,/v1/payments,k1,\"{\"\"src\"\":\"\"a\"\",\"\"dst\"\":\"\"b\"\",\"\"amount\"\":5,\"\"currency\"\":\"\"KRW\"\"}\",201\n",
		"ledger.csv": "id,time,src,dst,amount,currency\nt1,2026-03-10 09:00:01,a,b,5,KRW\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var zoned = tui.ImportForm{Requests: "log.csv", Transfers: " ledger.csv ", Out: "made.db",
	Settings: "--zone +09:00  --time-is start --amount-unit minor --body-amount-unit=minor"}

func TestWorkbenchImports(t *testing.T) {
	inFolder(t)
	dir := t.TempDir()
	i := &importer{work: workbench{dir: dir}}
	var told int64
	text, err := i.Import(t.Context(), zoned, true, func(done, _ int64) { told = done })
	if err != nil || !strings.Contains(text, "zone +09:00") || !strings.Contains(text, "Nothing was written") {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := os.Stat("made.db"); err == nil {
		t.Error("a dry run made the file")
	}
	if told == 0 {
		t.Error("no progress was told")
	}
	text, err = i.Import(t.Context(), zoned, false, nil)
	if err != nil || !strings.Contains(text, "transfers  1, 5 KRW minor units") {
		t.Fatalf("%v\n%s", err, text)
	}
	s, err := i.Open(t.Context(), "made.db", analysis.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Total() != 1 {
		t.Errorf("%d requests, want 1", s.Total())
	}
}

func TestWorkbenchImportErrors(t *testing.T) {
	inFolder(t)
	with := func(change func(*tui.ImportForm)) tui.ImportForm {
		form := zoned
		change(&form)
		return form
	}
	for _, c := range []struct {
		name       string
		form       tui.ImportForm
		flag, says string
	}{
		{"no zone", with(func(f *tui.ImportForm) { f.Settings = "" }), "--zone", "has no zone"},
		{"no such flag", with(func(f *tui.ImportForm) { f.Settings = "--zoom 3" }), "", "unknown flag: --zoom"},
		{"flags of fields", with(func(f *tui.ImportForm) { f.Settings = "--out x.db" }), "", "unknown flag: --out"},
		{"a word alone", with(func(f *tui.ImportForm) { f.Settings = "minor" }), "", `settings: "minor" stands alone`},
		{"help", with(func(f *tui.ImportForm) { f.Settings = "-h" }), "", "settings"},
		{"a bad value", with(func(f *tui.ImportForm) { f.Settings = "--amount-unit cents" }), "", "minor or major"},
		{"standard input", with(func(f *tui.ImportForm) { f.Requests = "log.csv, -" }), "", "standard input is the terminal here"},
		{"no such file", with(func(f *tui.ImportForm) { f.Requests = "none.csv" }), "", "none.csv"},
		{"no such mapping", with(func(f *tui.ImportForm) { f.Mapping = "none.toml" }), "", "read mapping"},
		{"a bad list", with(func(f *tui.ImportForm) { f.Requests = `"a` }), "", "requests"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := new(importer).Import(t.Context(), c.form, true, nil)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v, want %q", err, c.says)
			}
			u := new(tui.Undecided)
			if errors.As(err, &u) != (c.flag != "") || u.Flag != c.flag {
				t.Errorf("flag %q, want %q", u.Flag, c.flag)
			}
		})
	}
}

// An import that is given up leaves nothing behind once it was waited for.
func TestWorkbenchImportGivenUp(t *testing.T) {
	inFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	i := new(importer)
	if _, err := i.Import(ctx, zoned, false, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("ended with %v", err)
	}
	i.wait()
	names, err := filepath.Glob("*.db")
	hidden, err2 := filepath.Glob(".idem*")
	if len(names)+len(hidden) > 0 || err != nil || err2 != nil {
		t.Errorf("left %q %q", names, hidden)
	}
}
