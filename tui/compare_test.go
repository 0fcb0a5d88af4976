package tui

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/analysis/compare"
)

func (l *live) Compare(ctx context.Context, sides [2]compare.Side, progress func(done, total int64)) (*compare.Table, error) {
	return compare.Run(ctx, l.Day(), l.dir, sides, progress)
}

func (f *fake) Compare(ctx context.Context, sides [2]compare.Side, progress func(done, total int64)) (*compare.Table, error) {
	time.Sleep(f.comparing)
	return compare.Run(ctx, f.Day(), os.TempDir(), sides, progress)
}

func TestCompareScreens(t *testing.T) {
	screens(t, labConfig, []scene{
		{"compare", "9"}, {"compare-first", "9 d"}, {"compare-only", "9 d o j"}, {"compare-policies", "9 l l l l d"},
	})
}

// The first difference is one key away, and the next and the one before it.
func TestDifferencesAreOneKeyAway(t *testing.T) {
	inBubble(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("9")
		d.has("20 of 120 differ: ≠ 20 in money, ~ 0 in the answer", "recorded", "this policy", "₩ 23,074,200")
		s := d.m.screens[compareRoom].(*compareScreen)
		d.keys("d")
		first := s.position()
		if row := s.row(); row == nil || row.Differs != compare.Money || row.N != first {
			t.Fatalf("d went to %d: %+v", first, row)
		}
		d.keys("n")
		second := s.position()
		d.keys("N")
		if second <= first || s.position() != first {
			t.Errorf("first %d, then %d, back to %d", first, second, s.position())
		}
		d.keys("N")
		d.has("no difference before " + number(first))
		d.keys("o")
		d.has("only what differs · 100 of 120 requests hidden")
		d.keys("j")
		if s.position() != second {
			t.Errorf("the second of those that differ is %d, want %d", s.position(), second)
		}
		d.keys("esc")
		d.hasNot("hidden")
		if s.position() != second {
			t.Errorf("esc moved the cursor to %d", s.position())
		}
		d.keys("v")
		d.has(" " + number(second) + "/120 ")
	})
}

// Another policy stands beside the replay's, and the sums are its own.
func TestPoliciesAreCompared(t *testing.T) {
	inBubble(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("9 tab")
		d.has("this policy", "Stripe v1")
		d.typed("e", "retention_hours=0.01")
		d.has("retention_hours=0.01", "1 of 120 differ")
		d.keys("d")
		d.has("= replayed", "+ created", "₩ 1,587,200 more")
		d.typed("e", "retention_hours=nonsense")
		d.has(`retention_hours is "nonsense"`)
		d.keys("esc a")
		d.has("differ in money; ~ other answers do not count")
		d.keys("tab")
		d.has("recorded")
	})
}

// The chosen policy of the what-if screen is compared row by row.
func TestWhatifLeadsToTheRows(t *testing.T) {
	inBubble(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("6 tab j j j v")
		d.has("9 Compare", "this policy", "Adyen")
	})
}

// A comparison that takes long shows how far it is, and is given up by a key.
func TestCompareIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 40, text: "k", comparing: 30 * time.Second}), 80, 24)
		d.update(press("9"))
		d.wait(time.Second)
		d.has("comparing recorded with this policy…")
		d.update(press("esc"))
		d.wait(100 * time.Millisecond)
		d.has("given up; space compares again", "not compared; space compares")
		d.wait(40 * time.Second)
		d.has("not compared; space compares")
		d.update(press("n"))
		d.has("n: not compared yet")
	})
}

// A day of a million requests is walked through as one of a hundred is.
func TestCompareOfLongDay(t *testing.T) {
	if testing.Short() {
		t.Skip("replays a long day")
	}
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 200_000, text: "k"}), 80, 24)
		d.keys("9 G k k o G N N")
		s := d.m.screens[compareRoom].(*compareScreen)
		if len(s.page.rows) > 200 {
			t.Errorf("%d rows are held", len(s.page.rows))
		}
		if row := s.row(); row == nil || row.Differs == compare.Same {
			t.Errorf("the cursor is at %+v", row)
		}
		checkView(t, d.m.View().Content, 80, 24)
	})
}

func TestCompareRowAndCommandAreCopied(t *testing.T) {
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
		d.keys("9 d Y")
		var row struct {
			Difference  string
			Left, Right struct{ Moved int64 }
		}
		if err := json.Unmarshal([]byte(copied()), &row); err != nil || row.Difference != "other money" || row.Left.Moved == row.Right.Moved {
			t.Errorf("%v: %s", err, copied())
		}
		d.keys("l c")
		if got := copied(); !strings.HasPrefix(got, "idem whatif "+cfg.File+" --set ") {
			t.Error(got)
		}
	})
}
