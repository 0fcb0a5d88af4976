package tui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs a test on the lab's day at w x h.
func inBubble(t *testing.T, w, h int, f func(t *testing.T, d *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f(t, drive(t, labConfig(t), w, h))
	})
}

func TestIncidentShowsWhatWentWrong(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.has("₩ 23,074,200", "120 requests", "1 Incident", "›  8418cc84", "EXTRA", "kept")
		d.keys("j")
		d.has("›  17e37ba7")
		d.keys("s")
		d.has("n ▼")
		d.keys("/")
		d.keys("1 7 e 3 enter")
		d.has("›  17e37ba7")
		d.hasNot("8418cc84")
		d.keys("q")
		d.has("8418cc84")
		d.keys("q")
		if !d.quit || d.m.code != 0 {
			t.Errorf("q at the root: quit %v, code %d", d.quit, d.m.code)
		}
	})
}

func TestFilterThatIsLeftKeepsWhatWasTyped(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("/ a 5 f esc")
		d.has("8418cc84")
		d.keys("/")
		d.has("filter a5f")
		d.keys("enter")
		d.hasNot("8418cc84")
	})
}

func TestStepsForwardAndBack(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2")
		d.has(" 0/120 ", "before the first request")
		d.keys("n n n")
		d.has(" 3/120 ", "+ 3 created")
		d.keys("p")
		d.has(" 2/120 ", "+ 2 created")
		d.keys("p p p")
		d.has(" 0/120 ")
		d.has("p ←: no request has been sent yet")
	})
}

// Keys come faster than pages: each of them counts all the same.
func TestKeysTypedAheadAllCount(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2")
		for range 7 {
			d.update(press("n"))
		}
		d.settle()
		d.has(" 7/120 ")
	})
}

func TestPlaybackMovesWithTimeAndStops(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2 space")
		d.has("▶ 4x")
		d.wait(time.Second + 10*time.Millisecond)
		d.has(" 4/120 ")
		d.keys("+")
		d.has("▶ 8x")
		d.wait(time.Second + 10*time.Millisecond)
		d.has(" 12/120 ")
		d.keys("space")
		d.wait(10 * time.Second)
		d.has(" 12/120 ", "paused 8x")
	})
}

func TestWholeDayWritesTheFilesOnce(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2 G")
		d.has("120/120", "+ 100 created", "= 16 replayed", "! 2 409 in flight", "x 2 422 mismatch", "- 0 refused")
		d.has("stopped ₩ 23,074,200", "5 files written into ")
		for _, name := range []string{"day.db", "dup_report.json", "result.json", "policy.json", "idem_report.md"} {
			if _, err := os.Stat(filepath.Join(d.m.cfg.OutDir, name)); err != nil {
				t.Error(err)
			}
		}
		if err := os.RemoveAll(d.m.cfg.OutDir); err != nil {
			t.Fatal(err)
		}
		d.keys("g G p n")
		if _, err := os.Stat(d.m.cfg.OutDir); !errors.Is(err, os.ErrNotExist) {
			t.Error("the files were written again")
		}
	})
}

func TestFilesThatCannotBeWrittenAreTriedAgain(t *testing.T) {
	inBubble(t, 200, 24, func(t *testing.T, d *driver) {
		if err := os.WriteFile(d.m.cfg.OutDir, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		d.keys("2 G")
		d.has("files not written (w tries again)", "is a file")
		if err := os.Remove(d.m.cfg.OutDir); err != nil {
			t.Fatal(err)
		}
		d.keys("w")
		d.has("5 files written into ")
		d.keys("w")
		d.has("w: they are written")
	})
}

func TestFindsRetriesAndDuplicates(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2 e")
		d.has(" 46/120 ", "! 409 in flight")
		d.keys("e")
		d.has(" 64/120 ", "x 422 mismatch", "differs from")
		d.keys("E")
		d.has(" 46/120 ")
		d.keys("E")
		d.has(" 46/120 ", "no 409 or 422 before 46")
		d.keys("g d")
		d.has(" again")
	})
}

func TestGoesToNumberTimeAndKey(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		for _, c := range []struct{ typed, want string }{
			{"1 0 0", "100/120"}, {"9 9 9", "there is no request 999"}, {"0", " 0/120 "},
			{"1 2 : 1 5", " 45/120 "}, {"e 3 b e 4 f c a", " 46/120 "}, {"n o s u c h", "no request with nosuch"},
		} {
			d.keys("2 :")
			d.keys(c.typed)
			d.keys("enter")
			d.has(c.want)
			d.m.drafts = map[string]string{}
		}
	})
}

func TestSuspendPausesPlayback(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2 space")
		d.keys("ctrl+z")
		d.has("paused")
	})
}

func TestReportSaysWhatIsMissing(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("4")
		d.has("No report yet", "enter runs the day")
		d.keys("enter")
		d.has("120/120")
		d.keys("4")
		d.has("사고 보고서")
		d.keys("G")
		d.has("UNIQUE")
	})
}

// A paste is text and never keys.
func TestPasteIsOneLineOrNothing(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		before := d.screen()
		d.send(pasteMsg("q\nG\n2\n"))
		if d.quit || d.screen() != before {
			t.Error("a paste into a list did something")
		}
		d.keys("/")
		d.send(pasteMsg("84\n18\x1b[2J"))
		d.has("filter 84 18[2J")
	})
}

// Commands work while the input method stands on Hangul; prompts take Hangul.
func TestKoreanLayout(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2 ㅜ ㅜ ㅔ")
		d.has(" 1/120 ")
		d.keys("1 / ㅂ")
		d.has("filter ㅂ")
		d.keys("esc ㅂ")
		if !d.quit {
			t.Error("ㅂ is on the key q")
		}
	})
	for i, r := range []rune(jamo) {
		if got := latinKey(string(r)); got != latin[i:i+1] {
			t.Errorf("%c is %s, want %s", r, got, latin[i:i+1])
		}
	}
	for _, key := range []string{"", "enter", "한", "ctrl+c", "n"} {
		if latinKey(key) != key {
			t.Errorf("%q is changed", key)
		}
	}
}

func TestTooSmallIgnoresKeysButQuit(t *testing.T) {
	inBubble(t, 20, 5, func(t *testing.T, d *driver) {
		d.has("needs 60x15")
		d.keys("2 G n / x esc")
		d.send(sizeMsg(80, 24))
		d.has("double paid")
		d.keys("2")
		d.has(" 0/120 ")
		d.send(sizeMsg(20, 5))
		d.keys("q")
		if !d.quit {
			t.Error("q did not quit")
		}
	})
}

func TestHelpNamesEveryKeyAndWhyNot(t *testing.T) {
	inBubble(t, 100, 90, func(t *testing.T, d *driver) {
		d.keys("2 ?")
		for _, s := range d.m.screenKeys() {
			for _, b := range s.bindings {
				d.has(b.name, b.help)
			}
		}
		d.has("not now: no request has been sent yet")
		d.keys("? q")
		if !d.quit {
			t.Error("help did not close")
		}
	})
}

func TestPaletteRunsWhatItNames(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2 ctrl+p")
		d.has("Commands")
		d.keys("e n d enter")
		d.has("120/120")
	})
}

func TestFileThatChangesIsTold(t *testing.T) {
	inBubble(t, 110, 30, func(t *testing.T, d *driver) {
		f, err := os.OpenFile(d.m.cfg.File, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, strings.Repeat("x", 4096))
		f.Close()
		d.wait(watchEvery + 10*time.Millisecond)
		d.has("CHANGED ON DISK", "₩ 23,074,200")
	})
}

// That the day's files have no place is told before the day is replayed.
func TestFolderIsLookedAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		if err := os.WriteFile(cfg.OutDir, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		d := drive(t, cfg, 200, 24)
		d.has("₩ 23,074,200", "the files will find no place", "is a file; name a folder")
		d.keys("2 n")
		d.has(" 1/120 ")
	})
}

// What was learned stays where the path does not lead anywhere any more, also
// after one has tried to open it again; and the day goes on.
func TestReopenThatFailsLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		d := drive(t, cfg, 200, 24)
		d.keys("2 n")
		if err := os.Remove(cfg.File); err != nil {
			t.Fatal(err)
		}
		d.wait(watchEvery + 10*time.Millisecond)
		d.has("CHANGED ON DISK")
		d.keys("r")
		d.has("CHANGED ON DISK", "not opened", "there is no such file", " 1/120 ")
		d.keys("z " + typed("client:shop-1"))
		d.has("not opened: the file has changed on the disk; r opens it again")
		d.keys("G")
		d.has("120/120", "5 files written into ")
	})
}

func TestUnreadableIncidentIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		hidden := cfg.File + ".away"
		if err := os.Rename(cfg.File, hidden); err != nil {
			t.Fatal(err)
		}
		d := drive(t, fileConfig(t, cfg.File), 80, 24)
		d.has("incident.db", "r opens it again")
		d.keys("2 n r")
		d.has("r opens it again")
		if err := os.Rename(hidden, cfg.File); err != nil {
			t.Fatal(err)
		}
		d.keys("1 r")
		d.has("₩ 23,074,200")
		d.m.session.Close()
	})
}
