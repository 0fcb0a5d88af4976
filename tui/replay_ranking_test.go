package tui

import (
	"testing"
	"testing/synctest"
	"time"
)

// Steps are sorted by each column in turn, either way round, and one goes to the
// step from there.
func TestStepsAreSorted(t *testing.T) {
	inBubble(t, 120, 30, func(t *testing.T, d *driver) {
		d.keys("2 s")
		d.has("s: no request has been sent yet")
		d.keys("G s")
		d.has("Steps by v1 moved · 1 of 120 steps sent so far", "v1 moved ▼")
		s := d.m.screens[replayRoom].(*replayScreen)
		last := int64(1 << 62)
		for i := range s.rank.shown {
			if v := s.rank.shown[i].V1Moved; v > last {
				t.Errorf("row %d moved %d after %d", i, v, last)
			} else {
				last = v
			}
		}
		d.keys("S")
		d.has("v1 moved ▲")
		d.keys("s s")
		d.has("Steps by outcome", "outcome ▼")
		d.keys("G")
		d.has("120 of 120 steps")
		d.keys("k enter")
		d.hasNot("Steps by")
		if s.page.pos == 0 || s.page.pos == 120 {
			t.Errorf("went to %d", s.page.pos)
		}
	})
}

// The filter holds for the sorted list, and what it hides is counted.
func TestSortedStepsAreFiltered(t *testing.T) {
	inBubble(t, 120, 30, func(t *testing.T, d *driver) {
		d.keys("2 G")
		d.typed("/", "outcome:409")
		d.keys("s")
		d.has("1 of 2 steps sent so far · 118 hidden by the filter")
		d.keys("esc esc")
		d.hasNot("hidden")
	})
}

// A list of any length is held part by part: the next part comes at the end of one.
func TestSortedStepsComeInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 10_000, text: "k"}), 100, 30)
		d.keys("2 G s")
		s := d.m.screens[replayRoom].(*replayScreen)
		s.rank.window.To(rankedAtOnce - 1)
		d.keys("j")
		d.has("4,097 of 10,000 steps")
		d.keys("k")
		d.has("4,096 of 10,000 steps")
		d.keys("G")
		d.has("10,000 of 10,000 steps")
		s.rank.window.To(0)
		d.keys("k")
		d.has("5,904 of 10,000 steps")
		d.keys("g")
		d.has("1 of 10,000 steps")
		if len(s.rank.part.Steps) > rankedAtOnce || len(s.rank.shown) > 100 {
			t.Errorf("%d steps and %d rows are held", len(s.rank.part.Steps), len(s.rank.shown))
		}
	})
}

func TestSortingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 40, text: "k", ranking: 30 * time.Second}), 100, 30)
		d.keys("2 n n n")
		d.update(press("s"))
		d.wait(300 * time.Millisecond)
		d.has("Steps by v1 moved · sorting…", "esc gives up")
		d.update(press("esc"))
		d.wait(100 * time.Millisecond)
		d.has(" 3/40 ")
		d.update(press("n"))
		d.settle()
		d.has(" 4/40 ")
	})
}
