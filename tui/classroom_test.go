package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"idem/analysis/classroom"
)

func TestClassroomScreens(t *testing.T) {
	screens(t, labConfig, []scene{
		{"classroom", "7"}, {"classroom-ask", "7 enter c c"}, {"classroom-race", "7 enter s c"}, {"classroom-round", "7 j j j enter d enter"},
		{"classroom-end", "7 j j j enter e"},
	})
}

// The outcome of the next request stays hidden until the trainee has said what
// it will be, and what was said is counted.
func TestPredictThenReveal(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("7 enter")
		d.has("request 1, not sent yet", "What will the right engine do?", "nothing was sent under this key before", "said right 0 of 0")
		d.keys("n")
		d.has("first say what becomes of it", " 0/120")
		d.keys("c")
		d.has(" 1/120", "said right 1 of 1", "+ created", "yes")
		d.keys("=")
		d.has(" 2/120", "said right 1 of 2")
		d.keys("o n n")
		d.has("not asking", " 4/120")
		d.keys("c")
		d.has("nothing is asked")
	})
}

// Each mistake shows where s goes, by the audit's own words.
func TestEveryLessonShows(t *testing.T) {
	for i, l := range classroom.Lessons() {
		t.Run(l.Name, func(t *testing.T) {
			inBubble(t, 120, 40, func(t *testing.T, d *driver) {
				d.keys("7")
				for range i {
					d.keys("j")
				}
				d.keys("enter")
				d.has(l.Title)
				if l.Name == "global-key" {
					return // the lab's day has no key of two clients
				}
				d.keys("s o e")
				d.has("The audit caught the wrong engine", "of the right one it has nothing to say", "differ, first ")
			})
		})
	}
}

func TestRaceIsInjectedAtTheNextRequest(t *testing.T) {
	inBubble(t, 120, 40, func(t *testing.T, d *driver) {
		d.keys("7 enter c c T")
		d.has("done to the day: race at 3", " 2/120", "said right 2 of 2")
		d.keys("c")
		d.has("its twin", "≠", "paid again ₩")
		d.keys("R")
		d.has(" 0/120", "said right 0 of 0", "paid again 0")
		d.hasNot("race at 3")
		d.keys("C")
		d.has("crash at 1")
		d.keys("C")
		d.hasNot("done to the day")
		d.keys("S L")
		d.has("stall at 1", "no renewal")
	})
}

func TestLessonIsLeft(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("7 enter c enter")
		d.has("received", "order")
		d.keys("q q")
		d.has("Engines that are wrong on purpose")
		d.keys("q")
		if !d.quit {
			t.Error("q did not quit")
		}
	})
}

// A long run shows how far it is, and ends at once.
func TestLessonRunStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 100_000, text: "k", reading: time.Millisecond}), 80, 24)
		d.keys("7 enter")
		d.wait(10 * time.Second)
		d.update(press("e"))
		d.wait(2 * time.Second)
		d.has("▶ esc stops")
		d.keys("esc")
		d.wait(200 * time.Millisecond)
		d.hasNot("▶")
		d.has("not sent yet")
		d.keys("esc")
		d.has("Engines that are wrong on purpose")
	})
}

// An answer about a lesson that was left meanwhile is dropped.
func TestLateRoundIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fakeConfig(&fake{total: 50, text: "k", reading: 10 * time.Millisecond}), 80, 24)
		d.keys("7 enter")
		d.send(openedMsg{session: &fake{total: 5, text: "other"}})
		d.wait(3 * time.Second)
		d.has("Engines that are wrong on purpose")
	})
}

// A lesson runs to the first invariant that its engine breaks, and says so.
func TestClassroomRunsToTheBrokenInvariant(t *testing.T) {
	inBubble(t, 110, 40, func(t *testing.T, d *driver) {
		d.keys("7 enter o I")
		d.has("broken at #")
		s := d.m.screens[classroomRoom].(*classroomScreen)
		rounds := s.class.rounds
		for i := range rounds {
			if broke := len(rounds[i].Violations) > 0; broke != (i == len(rounds)-1) {
				t.Errorf("round %d of %d: broken %v", i+1, len(rounds), broke)
			}
		}
		d.keys("R I I I I I I I I I I I I")
		d.has("the day is through")
	})
}
