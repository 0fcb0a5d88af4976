package tui

import (
	"testing"
	"testing/synctest"
	"time"
)

// With the right engine no invariant breaks, and that is said; where one does,
// the run ends there, from before it and from behind it.
func TestRunsToTheBrokenInvariant(t *testing.T) {
	inBubble(t, 110, 30, func(t *testing.T, d *driver) {
		d.keys("2 n n I")
		d.has(" 2/120 ", "no invariant broke: 6 hold over 120 requests")
		d.hasNot("broken at")
	})
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 400, text: "k", broken: 250}), 110, 30)
		d.keys("2 I")
		d.has(" 250/400 ", "broken at #250 by #250: a key's life makes at most one transfer: k")
		d.keys("G I")
		d.has(" 250/400 ")
		d.keys("g I")
		d.has(" 250/400 ")
	})
}

// A key is gone to wherever it is, also before the position.
func TestGoesToKeyAnywhere(t *testing.T) {
	inBubble(t, 110, 30, func(t *testing.T, d *driver) {
		d.keys("2")
		d.typed(":", "key:67ebfe94")
		d.has(" 1/120 ")
		d.typed(":", "60")
		d.typed(":", "67ebfe94")
		d.has(" 1/120 ")
		d.typed(":", "no such key")
		d.has("no request with no such key")
		d.typed(":", "12:20")
		d.has(" 47/120 ")
	})
}

// Moving away from a playback detaches; one key follows it again.
func TestMovingDetachesAndFollowAttaches(t *testing.T) {
	inBubble(t, 110, 30, func(t *testing.T, d *driver) {
		d.keys("2 : 2 0 enter space")
		d.wait(time.Second + 10*time.Millisecond)
		d.has(" 24/120 ", "▶ 4x")
		d.keys("p p p")
		d.has(" 21/120 ", "detached, F follows")
		d.wait(5 * time.Second)
		d.has(" 21/120 ")
		d.keys("F")
		d.has(" 24/120 ", "▶ 4x")
		d.wait(time.Second + 10*time.Millisecond)
		d.has(" 28/120 ")
		d.keys("F")
		d.has("F: it follows")
		d.keys("space")
		d.hasNot("detached")
	})
}

// At full speed any key stops, also one that does something else or nothing, and
// what it does it does as well.
func TestAnyKeyStopsFullSpeed(t *testing.T) {
	for _, key := range []string{"z", "?", "f"} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, fakeConfig(&fake{total: 1 << 40, text: "k", step: time.Millisecond}), 80, 24)
			d.keys("2")
			d.update(press("G"))
			d.wait(50 * time.Millisecond)
			d.has("▶ running to")
			d.update(press(key))
			d.wait(50 * time.Millisecond)
			s := d.m.screens[replayRoom].(*replayScreen)
			at := s.page.pos
			d.wait(100 * time.Millisecond)
			if s.running() || s.page.pos != at {
				t.Errorf("%s: at %d, then at %d, running %v", key, at, s.page.pos, s.running())
			}
		})
	}
}

// A run at full speed takes many steps a page and shows about thirty a second.
func TestFullSpeedShowsThirtyPagesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 1 << 40, text: "k", step: 50 * time.Microsecond}), 80, 24)
		d.keys("2")
		d.update(press("G"))
		pages, last := 0, int64(0)
		for range 50 {
			d.wait(5 * time.Millisecond)
			if at := d.m.screens[replayRoom].(*replayScreen).page.pos; at != last {
				pages, last = pages+1, at
			}
		}
		if pages < 7 || pages > 11 || last < 100*int64(pages) {
			t.Errorf("%d pages and %d steps in a quarter of a second", pages, last)
		}
		d.update(press("space"))
		d.settle()
	})
}

// A jump is taken back with one key, and taken again with it.
func TestComesBackFromAJump(t *testing.T) {
	inBubble(t, 110, 30, func(t *testing.T, d *driver) {
		d.keys("2 n n n '")
		d.has(" 0/120 ")
		d.keys("' e")
		d.has(" 46/120 ")
		d.keys("'")
		d.has(" 3/120 ")
		d.keys("' '")
		d.has(" 3/120 ")
		d.keys("G ' p '")
		d.has(" 120/120 ")
	})
}

// With everything about a step on the screen one goes on looking for others, and
// what was noted on them is there.
func TestFindsAndMarksWhileTheStepIsOpen(t *testing.T) {
	inBubble(t, 110, 30, func(t *testing.T, d *driver) {
		d.keys("2 n enter e")
		d.has("#46 ", "log says")
		d.typed("m", "called twice")
		d.has("marked       called twice")
		d.keys("Y")
		d.has("row copied")
		d.keys("esc")
		d.has("marked       called twice", " 46/120 ")
	})
}
