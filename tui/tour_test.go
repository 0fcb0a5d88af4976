package tui

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"idem/analysis/replay"
	"idem/engine"
	"idem/tui/cells"
)

// truth is what must hold of the model for a stop's text to be true, and what
// the screen must show beside it.
type truth struct {
	title string
	shows []string
	holds func(m *model) error
}

func wrongUnless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// stepIs is a stop on the replay screen at a step of a class. A retry has the
// step that its text names as its holder.
func stepIs(class replay.Class, also func(m *model, d *replay.Detail) error) func(*model) error {
	return func(m *model) error {
		r := m.screens[replayRoom].(*replayScreen)
		d := r.page.detail
		switch {
		case m.open != replayRoom || d == nil || d.N != r.page.pos:
			return fmt.Errorf("no step is shown")
		case d.Class != class:
			return fmt.Errorf("step %d is %v, not %v", d.N, d.Class, class)
		case !strings.Contains(m.filled(tourStops[m.tour.at].text), fmt.Sprintf("Request %d ", d.N)):
			return fmt.Errorf("the text is not about step %d", d.N)
		}
		return also(m, d)
	}
}

var truths = []truth{
	{"The day", []string{"double paid", "120 requests"}, func(m *model) error {
		return wrongUnless(m.open == incidentRoom && m.found.ExtraTransfers == 20 && len(m.found.Groups) > 0, "no duplicates are shown")
	}},
	{"Created", []string{"+ created"}, stepIs(replay.Created, func(_ *model, d *replay.Detail) error {
		return wrongUnless(d.Before == nil && d.After != nil && d.Moved > 0, "its key was known, or nothing moved")
	})},
	{"Replayed", []string{"= replayed"}, stepIs(replay.Replayed, func(m *model, d *replay.Detail) error {
		held := d.Before != nil && d.Before.State == engine.Completed && d.Before.Fingerprint.String() == d.Fingerprint
		paidAgain := d.V1Moved > 0 && strings.Contains(m.filled(tourStops[2].text), money(d.V1Moved, d.V1Currency)+" again")
		return wrongUnless(held && d.Moved == 0 && d.Holder < d.N && paidAgain, "it is no retry of a completed request with the same body that v1 paid again")
	})},
	{"409 in flight", []string{"! 409 in flight"}, stepIs(replay.InFlight, func(_ *model, d *replay.Detail) error {
		running := d.Before != nil && d.Before.State == engine.InProgress
		return wrongUnless(running && d.Status == 409 && d.Moved == 0 && d.V1Moved > 0, "no request was running that it met")
	})},
	{"422 mismatch", []string{"x 422 mismatch"}, stepIs(replay.Mismatch, func(_ *model, d *replay.Detail) error {
		other := d.Before != nil && d.Before.Fingerprint.String() != d.Fingerprint
		return wrongUnless(other && d.Status == 422 && d.Moved == 0, "its body is that of the first request")
	})},
	{"The duplicates", []string{"kept", "extra"}, func(m *model) error {
		s := m.screens[incidentRoom].(*incidentScreen)
		g := s.list.selected()
		ok := m.open == incidentRoom && s.open && s.story.known && s.story.key == g.Scope && g.Transfers > 1
		return wrongUnless(ok && int64(len(s.story.requests)) == g.Requests, "no story of a key that was paid more than once")
	}},
	{"The money", []string{"stopped ₩ 23,074,200", "120/120"}, func(m *model) error {
		r := m.screens[replayRoom].(*replayScreen)
		c := m.result
		ok := m.open == replayRoom && r.page.pos == 120 && m.files.state == done && c.Total == 120
		off, err := c.V1Total.Sub(c.Transferred)
		return wrongUnless(ok && err == nil && sums(off) == sums(c.Stopped), "the day is not through, or something else than duplicates is in the difference")
	}},
	{"The policy", []string{"retention_hours", "72"}, func(m *model) error {
		return wrongUnless(m.open == policyRoom && m.filled("{retention} {lease}") == "72 hours 30s", "not the policy screen, or %s", m.filled("{retention} {lease}"))
	}},
	{"The report", []string{"보고서"}, func(m *model) error {
		return wrongUnless(m.open == reportRoom && len(m.files.names) == 5, "no report, or no files of it")
	}},
	{"The end", []string{"double paid"}, func(m *model) error { return wrongUnless(m.open == incidentRoom, "not the first screen") }},
}

var unfilled = regexp.MustCompile(`\{\w+\}`)

// checkStop fails unless the stop's text is on the screen and true.
func (d *driver) checkStop(i int) {
	d.t.Helper()
	want := truths[i]
	if title := tourStops[i].title; title != want.title || d.m.tour == nil || d.m.tour.at != i {
		d.t.Fatalf("stop %d is %s, want %s; tour %+v", i+1, title, want.title, d.m.tour)
	}
	if err := want.holds(d.m); err != nil {
		d.t.Errorf("%s: %v\n%s", want.title, err, d.screen())
	}
	if d.m.notice != "" && !strings.Contains(d.m.notice, "this is the") { // first stop, or last
		d.t.Errorf("%s: the tour's own keys are told %q", want.title, d.m.notice)
	}
	text := d.m.filled(tourStops[i].text)
	if missing := unfilled.FindString(text); missing != "" {
		d.t.Errorf("%s: no figure for %s", want.title, missing)
	}
	for _, line := range cells.Wrap(text, d.m.width-2) {
		d.has(strings.TrimSpace(line))
	}
	checkView(d.t, d.m.View().Content, d.m.width, d.m.height)
}

func tourConfig(t *testing.T) Config {
	cfg := labConfig(t)
	cfg.Tour = true
	return cfg
}

// The whole tour, forwards and back, at every size that is drawn on: at each
// stop the text is whole, and what it says is true of the model.
func TestTour(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}} {
		for _, noColor := range []bool{false, true} {
			t.Run(fmt.Sprint(size, noColor), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cfg := tourConfig(t)
					cfg.NoColor = noColor
					d := drive(t, cfg, size[0], size[1])
					for i := range tourStops {
						d.checkStop(i)
						if size[0] >= fullWidth {
							d.has(truths[i].shows...)
						}
						d.keys("space")
					}
					d.checkStop(len(tourStops) - 1)
					for i := len(tourStops) - 1; i > 0; i-- {
						d.keys("backspace")
						d.checkStop(i - 1)
					}
					d.keys("backspace") // before the first there is none
					d.checkStop(0)
				})
			})
		}
	}
}

// It waits for the person, whose own keys work, and comes back to where it was.
func TestTourWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, tourConfig(t), 80, 24)
		d.keys("enter")
		d.wait(time.Minute)
		d.checkStop(1)
		d.keys("n n n")
		d.has("a way of your own", "4/120")
		d.keys("backspace")
		d.checkStop(1)
		d.keys("? q") // help is over the stop, not away from it
		d.checkStop(1)
		d.keys("7 j j space")
		d.checkStop(2)
		d.keys("/ x space y esc")
		d.keys("space space space") // faster than the screen: no stop is left half way
		d.checkStop(5)
	})
}

// q ends the tour and leaves the workbench as it is; a second one leaves that.
func TestTourEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, tourConfig(t), 80, 24)
		d.keys("space space q")
		d.has("the tour is over", "2 Replay")
		d.hasNot("3/10")
		d.keys("n")
		d.has("/120")
		if d.quit {
			t.Error("ended with the tour")
		}
		d.keys("q")
		if !d.quit {
			t.Error("q does not quit after the tour")
		}
	})
}

// A terminal that is too small, and every size that is not, draws the tour.
func TestTourSizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, tourConfig(t), 80, 24)
		stepW, stepH := 29, 9
		if os.Getenv("IDEM_SIZES") == "all" {
			stepW, stepH = 1, 1
		}
		for range tourStops {
			for w := 0; w <= 200; w += stepW {
				c := new(checker)
				for h := 0; h <= 200; h += stepH {
					d.m.Update(sizeMsg(w, h))
					c.check(t, d.m.View().Content, w, h)
				}
			}
			d.send(sizeMsg(80, 24))
			d.keys("space")
		}
	})
}
