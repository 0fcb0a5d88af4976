package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine/sqlitestore/sqlfile"
	"idem/tui/cells"
)

// changedLab is the workbench on the lab's day with something done to its database.
func changedLab(t *testing.T, sql string) Config {
	t.Helper()
	cfg := labConfig(t)
	db, err := sqlfile.Open(sqlfile.URI(cfg.File), sqlfile.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	return fileConfig(t, cfg.File)
}

// A day without requests has a word for it on each screen.
func TestAnEmptyLogIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, changedLab(t, "DELETE FROM req_log; DELETE FROM transfer_v1"), 80, 24)
		for _, screen := range []string{"1", "2", "4"} {
			d.keys(screen)
			d.has(emptyLog)
		}
		d.hasNot("no time can be read")
		d.keys("2")
		d.has("G writes the day's files")
		d.keys("G")
		d.has("5 files written")
	})
}

// The clock and the sums of a large day both have their place.
func TestTheClockIsNeverCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, changedLab(t, "UPDATE transfer_v1 SET amount = amount + 1000000000"), 80, 24)
		for _, keys := range []string{"2 G", "space", "p o space", "esc g n"} {
			d.keys(keys)
			for _, w := range []int{60, 70, 80, 100} {
				d.send(sizeMsg(w, 24))
				r := d.m.screens[replayRoom].(*replayScreen)
				line := strings.TrimSpace(ansi.Strip(r.statusLine(w)))
				if at := r.current(); at != nil && (!strings.Contains(line, clock(at.At)+" ") || !strings.HasSuffix(line, sums(r.page.sums.Stopped))) {
					t.Errorf("%d cells have no room for %s and %s: %q", w, clock(at.At), sums(r.page.sums.Stopped), line)
				}
			}
		}
	})
}

func TestEveryWrittenFileIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, labConfig(t), 80, 24)
		d.m.cfg.OutDir = "idem-report"
		t.Chdir(t.TempDir())
		d.keys("2 G")
		d.has("day.db", "dup_report.json", "result.json", "policy.json", "idem_report.md")
	})
}

// A screen that is longer than the terminal says so, and how to see the rest.
func TestMoreThanOneSeesIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, labConfig(t), 80, 24)
		d.keys("3")
		d.has("j 6 more lines")
		d.keys("G")
		d.hasNot("more line")
		d.has("k up")
		d.send(sizeMsg(120, 40))
		d.hasNot("k up")
	})
}

// Refusals have their mark on the day's line.
func TestRefusalsAreMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, changedLab(t, "UPDATE req_log SET idem_key = NULL WHERE seq BETWEEN 40 AND 49"), 80, 24)
		d.keys("2 G")
		r := d.m.screens[replayRoom].(*replayScreen)
		if line := ansi.Strip(r.railLine(80)); !strings.Contains(line, glyph(5)) {
			t.Errorf("no refusal on %q", line)
		}
	})
}

// What was taken back, and a key that is none, are told.
func TestOddMoneyIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, changedLab(t, "UPDATE transfer_v1 SET amount = -amount WHERE seq = 6; UPDATE req_log SET body = 'x' WHERE seq = 1"), 120, 40)
		d.has("1 negative amount", "1 request unusable")
		d.keys("u")
		d.has("Negative amounts", "1 transfer, ₩ -")
		d.keys("esc 2 G")
		d.has("negative amounts under a used key ₩ -")
		if text := keyText(&replay.Detail{Request: analysis.Request{BadKey: "x'6b'"}}, true); text != "unusable: x'6b'" {
			t.Errorf("a key that cannot be used is told as %q", text)
		}
		if strings.Contains(d.screen(), "stopped ₩ -") {
			t.Error("negative money is called stopped")
		}
	})
}

// Letters stay with their marks where a text is shortened or broken.
func TestMarksStayWithTheirLetters(t *testing.T) {
	for _, s := range []string{strings.Repeat("กิ", 30), strings.Repeat("q\u0301", 30), "กิ" + strings.Repeat("ก", 20) + "กิก่ก้"} {
		for w := 1; w < 40; w++ {
			if got := short(s, w); cells.Width(got) > w || strings.Contains(got, `\u`) {
				t.Errorf("%q in %d cells is %q", s, w, got)
			}
			joined := ""
			for _, line := range cells.Wrap(s, w) {
				if cells.Width(line) > w || visible(line) != line {
					t.Errorf("a line of %d cells is %q", w, line)
				}
				joined += line
			}
			if joined != s {
				t.Errorf("%q is broken into %q", s, joined)
			}
		}
	}
}

// A report of an earlier run that stays in the folder is told beside the new
// files, and away from the end one line does for all of them.
func TestReportsOfAnEarlierRunAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		if err := os.MkdirAll(cfg.OutDir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(cfg.OutDir, "idem_report.en.md"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		d := drive(t, cfg, 100, 30)
		d.keys("2 G")
		d.has("policy.json", "idem_report.en.md there is of an earlier run; --lang writes it anew")
		d.keys("p")
		d.has("5 files written into ")
		d.hasNot("policy.json")
		d.hasNot("earlier run")
	})
}
