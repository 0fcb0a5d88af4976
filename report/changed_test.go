package report

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
	"idem/fixtures"
)

// changes are what may happen to the path of an incident that is open, and whether
// the open file itself is written to by it.
var changes = []struct {
	name    string
	change  func(t *testing.T, path string)
	written bool
}{
	{"nothing", func(*testing.T, string) {}, false},
	{"truncated", func(t *testing.T, path string) { must(t, os.Truncate(path, 12288)) }, true},
	{"overwritten", overwrite, true},
	{"replaced", func(t *testing.T, path string) { must(t, os.Rename(otherDay(t), path)) }, false},
	{"removed", func(t *testing.T, path string) { must(t, os.Remove(path)) }, false},
	{"appended to", appendRow, true},
	{"logged to", func(t *testing.T, path string) { must(t, os.WriteFile(path+"-wal", make([]byte, 4152), 0o600)) }, false},
}

// moments are when it happens: what was done by then.
const (
	whileAnalysing = iota
	beforeReplay
	midReplay
	beforeHash
	beforeWriting
)

// TestTheOpenedIncidentStays: whatever happens to the path and when, the report is
// that of what was opened, or there is an error that says so and no report.
func TestTheOpenedIncidentStays(t *testing.T) {
	want := reportBytes(t, func(dir string) error { return reportOf(t, agedLab(t), dir, 0, -1, nil) })
	for _, c := range changes {
		for moment := whileAnalysing; moment <= beforeWriting; moment++ {
			for _, hold := range []int64{0, math.MaxInt64} {
				path, changed := agedLab(t), false
				change := func() { c.change(t, path); changed = true }
				got := reportBytes(t, func(dir string) error {
					err := reportOf(t, path, dir, hold, moment, change)
					lost := c.written && hold == 0
					switch {
					case err == nil && !(lost && moment < beforeWriting):
						return nil
					case lost && errors.Is(err, analysis.ErrChanged):
						return fs.SkipAll
					}
					t.Errorf("%s at moment %d, held up to %d: %v", c.name, moment, hold, err)
					return fs.SkipAll
				})
				if !changed {
					t.Errorf("moment %d never came", moment)
				}
				if got != "" && got != want {
					t.Errorf("%s at moment %d, held up to %d: another report", c.name, moment, hold)
				}
			}
		}
	}
}

// reportBytes is all that is in a folder after write: nothing where that gave up.
func reportBytes(t *testing.T, write func(dir string) error) (all string) {
	t.Helper()
	dir := t.TempDir()
	gaveUp := write(dir) != nil
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		all += e.Name() + string(b)
	}
	if gaveUp != (all == "") || !gaveUp && len(entries) != 5 {
		t.Errorf("gave up: %v, and left %v", gaveUp, entries)
	}
	return all
}

// reportOf analyses and replays an incident and writes its report. change is called
// at the moment.
func reportOf(t *testing.T, path, dir string, hold int64, moment int, change func()) error {
	ctx := t.Context()
	at := func(now int) {
		if now == moment {
			moment = -1
			change()
		}
	}
	in, err := analysis.Open(ctx, path, analysis.Hold(hold))
	if err != nil {
		return err
	}
	defer in.Close()
	dup, err := in.Duplicates(ctx, func(done, total int64) {
		if done > 0 {
			at(whileAnalysing)
		}
	})
	if err != nil {
		return err
	}
	at(beforeReplay)
	player, err := replay.New(ctx, in, engine.DefaultPolicy(), t.TempDir())
	if err != nil {
		return err
	}
	defer player.Close()
	if err := player.RunTo(ctx, player.Total()/2, nil, nil); err != nil {
		return err
	}
	at(midReplay)
	if err := player.RunTo(ctx, player.Total(), nil, nil); err != nil {
		return err
	}
	return reported(ctx, in, dup, player, dir, at)
}

func reported(ctx context.Context, in *analysis.Incident, dup *analysis.Duplicates, player *replay.Player, dir string, at func(int)) error {
	result, err := player.Result(ctx, dup)
	if err != nil {
		return err
	}
	at(beforeHash)
	evidence, err := in.Evidence(ctx, nil)
	if err != nil {
		return err
	}
	r, err := Prepare(ctx, Day{Incident: in, Duplicates: dup, Result: result, DayDB: player.DayDB(), Evidence: evidence, Version: "test"})
	if err != nil {
		return err
	}
	at(beforeWriting)
	_, err = r.Write(ctx, dir)
	return err
}

// agedLab is the lab's day, last written to long ago: the clock of a file system
// may stand still for some milliseconds.
func agedLab(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "idem.db")
	must(t, fixtures.Generate(t.Context(), path, fixtures.Lab()))
	long := time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)
	must(t, os.Chtimes(path, long, long))
	return path
}

// otherDay is another day of the same size.
func otherDay(t *testing.T) string {
	t.Helper()
	path := agedLab(t)
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.ReadWrite)
	must(t, err)
	defer db.Close()
	must(t, db.Exec(t.Context(), "UPDATE transfer_v1 SET amount = amount + 1"))
	return path
}

func overwrite(t *testing.T, path string) {
	t.Helper()
	other, err := os.ReadFile(otherDay(t))
	must(t, err)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	defer file.Close()
	_, err = file.WriteAt(other, 0)
	must(t, err)
}

func appendRow(t *testing.T, path string) {
	t.Helper()
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.ReadWrite)
	must(t, err)
	defer db.Close()
	must(t, db.Exec(t.Context(), `INSERT INTO req_log (seq, received_at, client_id, endpoint, idem_key, body)
		VALUES (1000, '2026-03-10T12:00:00Z', 'c', '/', 'k', '{}')`))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
