package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"idem/engine"
)

// Notes come back with the same content, and the evidence's folder stays as it was.
func TestNotesAreKeptByContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = filepath.Join(t.TempDir(), "state")
		d := drive(t, cfg, 110, 30)
		d.keys("2 e")
		d.typed("m", "paid | twice")
		d.has("#46 is marked; M lists the marks")
		d.keys("n p")
		d.keys("g")
		d.typed("m", "")
		d.keys("M")
		d.has("46  12:15:49  paid | twice")
		d.keys("j enter")
		d.has(" 46/120 ")
		d.keys("n")
		d.has("•   46", " 47/120 ")
		d.keys("M k w")
		d.has("notes written into ")
		text, err := os.ReadFile(filepath.Join(cfg.OutDir, NotesFile))
		if err != nil || !strings.Contains(string(text), `| 46 | 46 | 2026-03-10 12:15:49.`) {
			t.Errorf("%v: %s", err, text)
		}
		d.keys("x esc")

		moved := filepath.Join(t.TempDir(), "another name.db")
		if err := os.Rename(cfg.File, moved); err != nil {
			t.Fatal(err)
		}
		again := fileConfig(t, moved)
		again.StateDir = cfg.StateDir
		e := drive(t, again, 110, 30)
		e.keys("2 M")
		e.has("46  12:15:49  paid | twice")
		e.hasNot(" 1  09:")
		if list, err := os.ReadDir(filepath.Dir(moved)); err != nil || len(list) != 1 {
			t.Errorf("beside the evidence: %v, %v", list, err)
		}
	})
}

// Two workbenches on one incident see each other's notes, and what one of them
// removed stays so.
func TestTwoWorkbenchesKeepTheirNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = t.TempDir()
		one := drive(t, cfg, 100, 30)
		one.keys("2 n")
		one.typed("m", "of one")
		other := fileConfig(t, cfg.File)
		other.StateDir = cfg.StateDir
		two := drive(t, other, 100, 30)
		two.keys("2 n n")
		two.typed("m", "of two")
		one.keys("M x esc n n")
		one.typed("m", "another")
		two.keys("n n")
		two.typed("m", "last")
		two.keys("M")
		two.has("of two", "another", "last")
		two.hasNot("of one")
	})
}

// A note stands at a position, so those of a part of the day are the part's own.
func TestNotesOfAPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = t.TempDir()
		d := drive(t, cfg, 100, 30)
		d.keys("2 n n")
		d.typed("m", "of the day")
		d.typed("z", "client:shop-1")
		d.keys("2 n")
		d.typed("m", "of the part")
		d.keys("M")
		d.has("of the part")
		d.hasNot("of the day")
		d.keys("esc Z 2 M")
		d.has("of the day")
		d.hasNot("of the part")
		d.keys("esc")
		d.typed("z", "client:shop-1")
		d.keys("2 M")
		d.has("of the part")
		d.hasNot("of the day")
	})
}

// Breakpoints come back with the same content, and stop runs.
func TestBreakpointsAreKeptByContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = t.TempDir()
		d := drive(t, cfg, 100, 30)
		d.keys("2")
		d.typed("b", "code:409")
		d.typed("b", "outcome:422")
		d.typed("b", "acct:nobody")
		d.keys("B space j j x")
		d.hasNot("acct:nobody")

		again := fileConfig(t, cfg.File)
		again.StateDir = cfg.StateDir
		e := drive(t, again, 100, 30)
		e.keys("2 B")
		e.has("○ off  code:409", "● on   outcome:422")
		e.hasNot("acct:nobody")
		e.keys("esc G")
		e.has(" 64/120 ", "stopped by breakpoint outcome:422")
	})
}

func TestNotesWithoutStateFolder(t *testing.T) {
	inBubble(t, 100, 30, func(t *testing.T, d *driver) {
		d.keys("2 m M")
		d.has("M: there is none; m makes one")
		d.keys("n")
		d.typed("m", "here")
		d.keys("M x")
		d.has("none; m on a step makes one")
		d.keys("enter")
		d.has("enter: there is no mark")
	})
}

func TestNotesThatCannotBeKeptAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(cfg.StateDir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		d := drive(t, cfg, 100, 30)
		d.keys("2 n")
		d.typed("m", "here")
		d.keys("M")
		d.has("here")
		d.keys("esc y")
		d.has("key is not in a file: ")
	})
}

func TestRowsAreCopiedAsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = t.TempDir()
		d := drive(t, cfg, 120, 30)
		copied := func() string {
			text, err := os.ReadFile(filepath.Join(cfg.StateDir, "copied.txt"))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		for _, c := range []struct{ keys, member, want string }{
			{"Y", "idem_key", "8418cc84"}, {"2 e Y", "outcome", "409 in flight"}, {"g Y", "client_id", "shop-1"},
		} {
			d.keys(c.keys)
			d.has("row copied; it is also in ")
			var row map[string]any
			if err := json.Unmarshal([]byte(copied()), &row); err != nil {
				t.Fatal(err)
			}
			if got, _ := row[c.member].(string); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %v", c.keys, row)
			}
		}
		d.keys("c")
		if got := copied(); got != "idem replay "+cfg.File+" --out "+cfg.OutDir {
			t.Error(got)
		}
		d.keys("1 c")
		if got := copied(); got != "idem analyze "+cfg.File {
			t.Error(got)
		}
	})
}

func TestCommandLineIsQuoted(t *testing.T) {
	policy := engine.DefaultPolicy()
	policy.Retention *= 2
	d := &desk{cfg: Config{File: "-it's $HOME.db", OutDir: "out dir", Policy: policy}}
	want := `idem replay './-it'\''s $HOME.db' --policy 'out dir/policy.json' --out 'out dir'`
	if got := d.command("replay"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Notes that were made before the old ones were read are not lost to them.
func TestNotesMadeWhileTheHashIsComputed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.StateDir = t.TempDir()
		d := drive(t, cfg, 100, 30)
		s := d.m.screens[replayRoom].(*replayScreen)
		d.keys("2 n n")
		s.notes.loaded, s.evidence = false, nil
		d.typed("m", "early")
		e, err := s.session.Evidence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d.send(tea.Msg(evidenceMsg{s.session, e, nil}))
		if list, err := os.ReadDir(cfg.StateDir); err != nil || len(list) != 1 || !strings.Contains(list[0].Name(), e.SHA256) {
			t.Errorf("%v, %v", list, err)
		}
	})
}
