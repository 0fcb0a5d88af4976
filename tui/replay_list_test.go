package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/tui/prompt"
)

// typed puts a text into the prompt that a key opens, and enters it.
func (d *driver) typed(key, text string) {
	d.keys(key)
	d.m.asking.line = prompt.New(text)
	d.keys("enter")
}

func TestReplayFilter(t *testing.T) {
	inBubble(t, 120, 30, func(t *testing.T, d *driver) {
		d.keys("2 G")
		d.typed("/", "outcome:409")
		d.has("filter outcome:409", "118 of 120 steps hidden", "409 in flight   409")
		if n := len(d.m.screens[replayRoom].(*replayScreen).page.steps); n != 2 {
			t.Errorf("%d steps, want 2", n)
		}
		d.keys("p")
		d.has(" 74/120 ")
		d.keys("p")
		d.has(" 46/120 ", "45 of 46 steps hidden")
		d.keys("p")
		d.has(" 46/120 ", "no step that the filter lets through before 46")
		d.keys("f")
		d.has("filter lifted for a moment", "+ created")
		d.keys("n")
		d.has(" 47/120 ")
		d.keys("f n")
		d.has(" 74/120 ")
		d.keys("esc")
		d.hasNot("hidden")
	})
}

// A filter looks ahead of the engine and lets it run; keys typed ahead count.
func TestFilterRunsTheEngine(t *testing.T) {
	inBubble(t, 120, 30, func(t *testing.T, d *driver) {
		d.keys("2")
		d.typed("/", "outcome:409")
		d.has("0 of 0 steps hidden")
		d.update(press("n"))
		d.update(press("n"))
		d.settle()
		d.has(" 74/120 ")
		d.keys("esc g")
		d.typed("/", "client:shop-1 -outcome:created")
		d.keys("n")
		d.hasNot("no step that")
		s := d.m.screens[replayRoom].(*replayScreen)
		if s.page.at.client != "shop-1" || strings.Contains(s.page.at.Class.String(), "created") {
			t.Errorf("n went to %+v", s.page.at)
		}
	})
}

func TestBreakpointsStopRuns(t *testing.T) {
	inBubble(t, 120, 30, func(t *testing.T, d *driver) {
		d.keys("2")
		d.typed("b", "outcome:422")
		d.typed("b", "acct:nobody")
		d.keys("G")
		d.has(" 64/120 ", "stopped by breakpoint outcome:422")
		d.keys("g B space")
		d.has("○ off  outcome:422", "● on   acct:nobody")
		d.keys("esc G")
		d.has("120/120")
		d.keys("B space j x esc g")
		d.keys("space + + + + +")
		d.wait(3 * time.Second)
		d.has(" 64/120 ", "stopped by breakpoint", "paused")
		d.keys("n G B x")
		d.has("none; b makes one")
		d.keys("esc B")
		d.has("B: there is none; b makes one")
	})
}

// A search over a long day shows how far it is and is given up by a key.
func TestFilterSearchIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 1 << 40, text: "k", step: time.Millisecond}), 80, 24)
		d.keys("2")
		d.typed("/", "no-such-thing")
		d.update(press("n"))
		d.wait(2 * time.Second)
		d.has("▶ looking for step")
		d.update(press("space"))
		d.wait(200 * time.Millisecond)
		d.has("paused")
	})
}

// A breakpoint and a filter know the findings' classes, and the status.
func TestStopsAtAFindingsClass(t *testing.T) {
	inBubble(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("2")
		d.typed("b", "class:different_body")
		d.keys("G")
		d.has(" 63/120 ", "stopped by breakpoint class:different_body")
		d.keys("G")
		d.has(" 64/120 ")
		d.keys("B x B esc G")
		d.typed("/", "class:executed_twice code:4")
		d.has("118 of 120 steps hidden", "409 in flight")
		d.keys("s")
		d.has("1 of 2 steps sent so far · 118 hidden")
	})
}

// While the findings are looked for that is told, and another filter ends it.
func TestLookingForFindingsIsToldAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 400, text: "k", finding: time.Minute}), 110, 30)
		d.keys("2 n n n")
		d.update(press("/"))
		for _, k := range strings.Split("class:proxy", "") {
			d.update(press(k))
		}
		d.update(press("enter"))
		d.wait(time.Second)
		d.has("▶ looking for the findings")
		d.update(press("esc"))
		d.wait(time.Second)
		d.hasNot("looking for the findings")
		d.has(" 3/400 ")
	})
}

// What a query is made of stands in its prompt, and tab completes it.
func TestTabCompletesAQuery(t *testing.T) {
	inBubble(t, 110, 30, func(t *testing.T, d *driver) {
		d.keys("2 G /")
		d.has("outcome: key: client: acct: amount> code: class: endpoint: 09:00..10:30 -not")
		d.keys("o tab")
		d.has("filter steps outcome: ", "outcome:created outcome:replayed")
		d.keys("4 tab tab")
		d.has("filter steps outcome:409", "118 of 120 steps hidden")
		d.keys("x")
		d.has("no outcome 409x: created, replayed, 409 in flight")
	})
}

// Columns of the list stay where they are while narrower rows come into sight.
func TestColumnsStayWhileADayIsPlayed(t *testing.T) {
	inBubble(t, 80, 16, func(t *testing.T, d *driver) {
		header := func() string {
			for line := range strings.Lines(d.screen()) {
				if strings.Contains(line, "outcome") && strings.Contains(line, "v1 moved") {
					return line
				}
			}
			return ""
		}
		d.keys("2 : 3 0 enter")
		want := header()
		for range 30 {
			d.keys("n")
			if got := header(); got != want {
				t.Fatalf("at %s\n%s\nwas\n%s", d.screen(), got, want)
			}
		}
	})
}
