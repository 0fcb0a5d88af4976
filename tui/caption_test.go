package tui

import (
	"testing"
	"testing/synctest"

	"idem/analysis/replay"
	"idem/engine"
	"idem/tui/cells"
)

// Every outcome, and every reason of a refusal, has words of its own that fit
// the narrowest screen.
func TestCaptions(t *testing.T) {
	steps := []replay.Step{{Class: replay.Created, Expired: true}, {Class: replay.Running}}
	for _, c := range replay.Classes {
		steps = append(steps, replay.Step{Class: c})
	}
	for _, reason := range []string{replay.ReasonNoKey, replay.ReasonUnusable, replay.ReasonLoggedError, replay.ReasonCrashed,
		replay.ReasonClaimLost, engine.RefusedFunds.Reason} {
		steps = append(steps, replay.Step{Class: replay.Refused, Reason: reason})
	}
	seen := map[string]bool{}
	for i := range steps {
		text := caption(&steps[i])
		if text == "" || seen[text] || cells.Width(text) > leastWidth-5 {
			t.Errorf("%v %s: %q has %d cells, or is not its own", steps[i].Class, steps[i].Reason, text, cells.Width(text))
		}
		seen[text] = true
	}
}

func TestCaptionsCanBeSwitchedOff(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, labConfig(t), size[0], size[1])
			d.keys("2 e")
			d.has("the first one still runs")
			d.keys("i")
			d.hasNot("the first one still runs")
			d.keys("i enter")
			d.has("the first one still runs")
		})
	}
}
