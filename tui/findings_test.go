package tui

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func inLabelled(t *testing.T, w, h int, f func(t *testing.T, d *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, drive(t, labelledConfig(t), w, h)) })
}

func TestFindingsScreens(t *testing.T) {
	screens(t, labelledConfig, []scene{
		{"findings", "5"}, {"findings-open", "5 j j j j enter"}, {"findings-sums", "5 b"}, {"findings-all", "5 a G"},
	})
}

func TestFindingsTellWhoWasPaidTwiceAndWhy(t *testing.T) {
	inLabelled(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("5")
		d.has("findings", "certain", "probable", "repeats", "← request")
		d.keys("/ p r o x y")
		d.has("proxy retry")
		d.hasNot("retry after retention")
		d.keys("enter enter")
		d.has("EXTRA", "kept", "transfer", "request", "←")
		d.keys("q q")
		d.has("retry after retention")
		d.keys("s")
		d.has("extra paid ▼")
	})
}

// What accuses nobody is shown when it is asked for.
func TestHonestRepeatsAreApart(t *testing.T) {
	inLabelled(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("5 / n o t space a enter")
		d.has("no finding answers to the filter", "hidden · f lifts it")
		d.keys("a")
		d.has("not a duplicate", "alike")
	})
}

func TestRefundsAreWritten(t *testing.T) {
	inLabelled(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("5 x")
		d.has("6 files written into", "refunds.csv")
		for _, name := range []string{"refunds.csv", "refunds.json", "refunds_to_check.csv", "refunds_disputed.csv"} {
			if _, err := os.Stat(filepath.Join(d.m.cfg.OutDir, name)); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestRefundsThatCannotBeWrittenAreTold(t *testing.T) {
	inLabelled(t, 120, 40, func(t *testing.T, d *driver) {
		if err := os.WriteFile(d.m.cfg.OutDir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		d.keys("5 x")
		d.has("refunds not written (x tries again)")
		if err := os.Remove(d.m.cfg.OutDir); err != nil {
			t.Fatal(err)
		}
		d.keys("x")
		d.has("6 files written into")
	})
}

func TestFindingGoesToItsRequest(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("5 / T 0 0 0 0 0 6 enter v")
		d.has("2 Replay", " 6/120 ")
	})
}

// The findings are looked for once they are wanted, with progress, and what was
// found about an incident that was closed meanwhile is dropped.
func TestFindingsComeWithProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 30, text: "k", finding: time.Second}), 80, 24)
		d.wait(time.Second)
		d.keys("5")
		d.has("looking for double payments… 7 rows")
		d.wait(500 * time.Millisecond)
		d.send(openedMsg{session: &fake{total: 3, text: "other", finding: time.Second}})
		d.wait(700 * time.Millisecond)
		d.has("looking for double payments… 7 rows")
		d.wait(3 * time.Second)
		d.has("3 findings")
	})
}

// The list is filtered by the same grammar as the others, and what it hides is
// counted; S turns its order round.
func TestFindingsAreFilteredAndTurned(t *testing.T) {
	inLabelled(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("5")
		d.has("hidden that accuse nobody")
		s := d.m.screens[findingsRoom].(*findingsScreen)
		all := s.list.window.Len()
		first := s.list.selected()
		d.typed("/", "amount>100")
		some := s.list.window.Len()
		d.typed("/", "-amount>100")
		if rest := s.list.window.Len(); some == 0 || rest == 0 || some+rest != all {
			t.Errorf("%d of %d are above an amount, %d are not", some, all, rest)
		}
		d.has("filter -amount>100")
		d.keys("f")
		d.has("filter lifted for a moment")
		if s.list.window.Len() != all {
			t.Errorf("%d findings with the filter lifted, want %d", s.list.window.Len(), all)
		}
		d.keys("esc G S g")
		if s.list.selected() == first {
			t.Error("the order was not turned round")
		}
	})
}
