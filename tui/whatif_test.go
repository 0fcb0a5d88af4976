package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine"
)

func TestWhatifScreens(t *testing.T) {
	screens(t, labConfig, []scene{
		{"whatif", "6"}, {"whatif-turned", "6 j - - - - - - - - - - -"}, {"whatif-presets", "6 tab j j"}, {"whatif-curve", "6 c"}, {"whatif-lease", "6 c c"},
	})
}

// A knob is turned, and the figures follow at once.
func TestFiguresFollowTheKnob(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("6")
		d.has("turned here", "Stripe v1", "Mojaloop", "₩ 23,074,200", "longest gap of a key 1m1.468s")
		d.keys("j enter")
		d.keys("0 . 0 1 enter")
		d.has("‹ 0.01 ›", "was 72", "₩ 1,587,200", "! a key is kept for 36s")
		d.keys("+ 0")
		d.has("‹ 72 ›")
		d.hasNot("a key is kept for")
	})
}

func TestKnobIsTurnedWithinItsBounds(t *testing.T) {
	inBubble(t, 100, 30, func(t *testing.T, d *driver) {
		d.keys("6 G")
		d.has("‹ all ›")
		d.keys("l l")
		d.has("‹ 2xx ›")
		d.keys("l")
		d.has("no further value", "all, not_5xx or 2xx")
		d.keys("g j enter n o enter")
		d.has(`retention_hours is "no"`)
		d.keys("j j j")
		for range 20 {
			d.keys("l")
		}
		d.has("lease", "‹ 3600 ›")
	})
}

// A retention that is no longer than the lease is no policy.
func TestKnobsMustAgree(t *testing.T) {
	inBubble(t, 100, 30, func(t *testing.T, d *driver) {
		d.keys("6 j enter")
		d.keys("0 . 0 0 1 enter")
		d.has("lease", "‹ 72 ›")
	})
}

func TestPresetIsTakenOver(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("6 tab G k")
		d.has("› ", "https://docs.rapyd.net/en/idempotency.html")
		d.keys("enter")
		d.has("‹ client_id,endpoint,idem_key,amount ›", "‹ 24 ›")
		d.keys("q")
		if !d.quit {
			t.Error("q did not quit")
		}
	})
}

func TestCurveNamesTheSmallestValue(t *testing.T) {
	inBubble(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("6 c")
		d.has("the smallest retention", "longer than 1m1.468s", "▲", "◆")
		d.keys("c")
		d.has("the smallest lease", "longer than 2.519s")
		d.keys("c")
		d.hasNot("▲")
	})
}

// The curve is that of the turned policy, whose own value of the knob is no part
// of it.
func TestCurveFollowsThePolicy(t *testing.T) {
	inBubble(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("6 c j -")
		d.has("longer than 1m1.468s")
		d.keys("k l")
		d.has("no retention stops everything: 2")
	})
}

// A long day is computed with progress, and given up with esc.
func TestWhatifIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 40, text: "k", reading: 100 * time.Millisecond}), 80, 24)
		d.keys("6")
		d.wait(time.Second)
		d.has("replaying the day under eight policies… ", "comparing… ", "esc gives up")
		d.keys("esc")
		d.has("given up; space computes again", "not computed; space computes it")
		d.wait(30 * time.Second)
		d.has("not computed; space computes it")
		d.keys("space")
		d.wait(30 * time.Second)
		d.has("v1 paid", "Adyen")
		d.hasNot("esc gives up")
	})
}

// Of keys that come faster than figures only the last one counts.
func TestOnlyTheLastTurnCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 10, text: "k", reading: 20 * time.Millisecond}), 80, 24)
		d.keys("6 j")
		for range 3 {
			d.update(press("-"))
		}
		d.wait(20 * time.Second)
		d.has("‹ 12 ›")
		s := d.m.screens[whatifRoom].(*whatifScreen)
		if _, known := s.turned(); !known || len(s.known) > 8+2 {
			t.Errorf("the turned policy is known: %v, of %d", known, len(s.known))
		}
	})
}

func TestLaddersHoldWhatKnobsTake(t *testing.T) {
	for _, k := range engine.Knobs() {
		ladder := ladders[k.Name]
		if len(ladder) == 0 {
			t.Errorf("%s cannot be turned", k.Name)
		}
		for _, value := range ladder {
			p := engine.DefaultPolicy()
			if err := k.Set(&p, value); err != nil || k.Get(p) != value {
				t.Errorf("%s takes %q as %q: %v", k.Name, value, k.Get(p), err)
			}
		}
	}
}

func TestStep(t *testing.T) {
	numbers, words := strings.Fields("1 2 5 forever"), strings.Fields("a b c")
	for _, c := range []struct {
		ladder []string
		value  string
		d      int
		want   string
	}{
		{numbers, "2", 1, "5"}, {numbers, "2", -1, "1"}, {numbers, "5", 1, "forever"}, {numbers, "forever", 1, ""}, {numbers, "1", -1, ""},
		{numbers, "3", 1, "5"}, {numbers, "3", -1, "2"}, {numbers, "0.5", -1, ""}, {numbers, "0.5", 1, "1"}, {numbers, "99", 1, "forever"},
		{words, "b", 1, "c"}, {words, "other", 1, "a"}, {words, "other", -1, "a"}, {nil, "x", 1, ""},
	} {
		if got, ok := step(c.ladder, c.value, c.d); got != c.want || ok != (c.want != "") {
			t.Errorf("step(%v, %s, %d) is %q, %v, want %q", c.ladder, c.value, c.d, got, ok, c.want)
		}
	}
}
