package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/analysis"
	"idem/analysis/ingest"
	"idem/engine"
)

// importKey is the key of the screen.
var importKey = strconv.Itoa(importRoom + 1)

// typed are the keys that type a text and enter it.
func typed(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Split(text, ""), " "), "   ", " space ") + " enter"
}

// Import of a fake takes its time over two megabytes and has its text wherever
// data gets into.
func (f *fake) Import(ctx context.Context, form ImportForm, dry bool, progress func(done, total int64)) (string, error) {
	f.imports = append(f.imports, form)
	progress(500_000, 2_000_000)
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(f.importing):
	}
	switch {
	case strings.Contains(form.Settings, "--bad"):
		return "", errors.New(f.text)
	case strings.Contains(form.Settings, "--open"):
		return "", &Undecided{errors.New("the time " + f.text + " has no zone"), "--zone"}
	}
	return "requests  " + f.text + "\n  time     " + f.text + "\n" + map[bool]string{true: "dry\n", false: "real\n"}[dry], nil
}

func (f *fake) Open(_ context.Context, file string, _ analysis.Filter) (Session, error) {
	return &fake{total: 7, text: file}, nil
}

// folderImporter imports the files of a folder.
type folderImporter struct{ dir string }

func (i folderImporter) at(name string) string { return filepath.Join(i.dir, name) }

func (i folderImporter) Import(ctx context.Context, form ImportForm, dry bool, progress func(done, total int64)) (string, error) {
	o := ingest.Options{Requests: []string{i.at(form.Requests)}, Out: i.at(form.Out), DryRun: dry, Progress: progress, Version: "test"}
	if form.Transfers != "" {
		o.Transfers = []string{i.at(form.Transfers)}
	}
	if zone, ok := strings.CutPrefix(form.Settings, "--zone "); ok {
		if err := o.Map.Settle(ingest.Mapping{Zone: zone}, "", ""); err != nil {
			return "", err
		}
	}
	result, err := ingest.Import(ctx, o)
	if u := new(ingest.Unsettled); errors.As(err, &u) {
		return "", &Undecided{errors.New(i.bare(err.Error())), u.Flag}
	}
	if err != nil {
		return "", errors.New(i.bare(err.Error()))
	}
	var b strings.Builder
	err = result.Text(&b, dry)
	return i.bare(b.String()), err
}

// bare leaves the folder out, which is another one each time.
func (i folderImporter) bare(text string) string { return strings.ReplaceAll(text, i.dir+"/", "") }

func (i folderImporter) Open(ctx context.Context, file string, part analysis.Filter) (Session, error) {
	return Source{Path: i.at(file), Policy: engine.DefaultPolicy(), Version: "test", Dir: i.dir}.Open(ctx, part)
}

// importConfig is the workbench on the lab's day beside the files of the
// labelled incidents and a log whose times have no zone.
func importConfig(t *testing.T) Config {
	t.Helper()
	cfg, dir := labConfig(t), t.TempDir()
	for _, name := range []string{"requests.csv", "transfers.csv"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(goldens), "..", "fixtures", "incidents", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	local := "time,client,path,key,body,status\n2026-03-10 09:00:00,m1,/v1/payments,k1,\"{\"\"src\"\":\"\"a\"\",\"\"dst\"\":\"\"b\"\",\"\"amount\"\":5,\"\"currency\"\":\"\"KRW\"\"}\",201\n"
	if err := os.WriteFile(filepath.Join(dir, "local.csv"), []byte(local), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.Importer = folderImporter{dir}
	return cfg
}

// importForm are the keys that fill the form in for a fake.
var importForm = importKey + " enter " + typed("a.csv") + " G enter " + typed("x.db")

// labelledForm are the keys that fill the form in for the labelled incidents.
var labelledForm = importKey + " enter " + typed("requests.csv") + " enter " + typed("transfers.csv")

func TestImportScreens(t *testing.T) {
	screens(t, importConfig, []scene{
		{"import", importKey},
		{"import-preview", labelledForm + " d"},
		{"import-previewed", labelledForm + " d q G enter " + typed("made.db")},
		{"import-unsettled", importKey + " enter " + typed("local.csv") + " d"},
		{"import-made", labelledForm + " G enter " + typed("made.db") + " d i"},
	})
}

// From two CSV files to an open incident, as a terminal shows it.
func TestImportOnTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, importConfig(t), 80, 24)
		p.keys(labelledForm + " d")
		p.has("requests  requests.csv: csv", "time_utc", "accepted")
		p.keys("G")
		p.has("[body]")
		p.keys("q i")
		p.has("name the file to make first")
		p.keys("G enter " + typed("made.db") + " i")
		p.has("written into made.db", "o opens it here", "idem made.db")
		p.keys("o")
		p.has("made.db · ", "1 Incident")
		p.keys("5")
		p.has("findings", "certain")
		p.tea.Quit()
		<-p.done
	})
}

// What could be read in two ways is told with the flag that settles it, which
// stands in the prompt of the settings already.
func TestImportAsksForTheFlag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, importConfig(t), 80, 24)
		d.keys(importKey + " enter " + typed("local.csv") + " d")
		d.has("has no zone", "settled by --zone")
		d.keys("enter")
		d.has("import: settings --zone ")
		d.keys(typed("+09:00") + " d")
		d.has("zone +09:00")
		d.keys("q i")
		d.has("name the file to make first")
	})
}

func importing(t *testing.T, f *fake, play func(d *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { play(drive(t, fakeConfig(f), 80, 24)) })
}

// Nothing is imported that was not shown first, and a change of what is read is
// shown again.
func TestImportComesAfterItsDryRun(t *testing.T) {
	f := &fake{total: 3, text: "k"}
	importing(t, f, func(d *driver) {
		d.keys(importKey + " i")
		d.has("a dry run (d) of these fields comes first")
		d.keys("d")
		d.has("name files of requests, transfers or both first")
		d.keys("enter " + typed("a.csv") + " G enter " + typed("x.db") + " d q")
		d.has("nothing was written yet", "into x.db")
		d.keys("g enter " + typed("2") + " i")
		d.has("a dry run (d) of these fields comes first")
		d.keys("d i")
		d.has("written into x.db", "real")
		if last := f.imports[len(f.imports)-1]; last != (ImportForm{Requests: "a.csv2", Out: "x.db"}) {
			t.Errorf("imported %+v", last)
		}
	})
}

func TestImportTellsBytesAndStops(t *testing.T) {
	importing(t, &fake{total: 3, text: "k", importing: time.Minute}, func(d *driver) {
		d.keys(importKey + " enter " + typed("a.csv"))
		d.update(press("d"))
		d.wait(time.Second)
		d.has("dry run… 500.0 kB of 2.0 MB (25 %) · esc stops it")
		d.keys("d enter")
		d.has("enter: it is running; esc stops it")
		d.keys("esc")
		d.has("stopped; no file was made", "enter types into a field")
		d.wait(2 * time.Minute)
		d.has("enter types into a field")
		d.hasNot("requests  k")
	})
}

func TestImportErrorsAreTold(t *testing.T) {
	importing(t, &fake{total: 3, text: "it broke"}, func(d *driver) {
		d.keys(importKey + " enter " + typed("a.csv") + " G k enter " + typed("--bad") + " d")
		d.has("it broke", "d tries again")
		d.keys("q")
		if !d.quit {
			t.Error("q does not quit from a screen with an error")
		}
	})
}

// The screen needs no incident, and what it makes can be opened without one.
func TestImportWithoutAnIncident(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := fakeConfig(&fake{total: 3, text: "k"})
		cfg.Session, cfg.OpenErr = nil, errors.New("it is locked")
		d := drive(t, cfg, 80, 24)
		d.has("it is locked")
		d.keys(importKey)
		d.has("Make an incident", "requests")
		d.keys("enter " + typed("a.csv") + " G enter " + typed("x.db") + " d i o")
		d.has("x.db · 7 requests")
		d.hasNot("locked")
	})
}
