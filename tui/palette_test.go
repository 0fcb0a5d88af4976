package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"idem/tui/cells"
)

// Every action of every screen is in the palette by its name, with its key; one
// that does nothing now says why, whole once it is chosen.
func TestPaletteHasEveryAction(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("ctrl+p")
		p := d.m.over.palette
		for i, s := range d.m.screens {
			for _, b := range s.keys().bindings {
				found := false
				for _, a := range p.all {
					found = found || (a.help == b.help && a.name == b.name && a.why == b.why && (a.room == i || i == d.m.open))
				}
				if !found {
					t.Errorf("%s lacks %s", rooms[i].title, b.help)
				}
			}
		}
		for i := range p.all {
			a := &p.all[i]
			if line := a.line(&d.m.theme, true, 80); cells.Width(line) != 80 || !strings.Contains(line, strings.Fields(a.name)[0]) {
				t.Errorf("%q", line)
			}
		}
		d.keys("s t e p space b a c k")
		d.has("one step back", "Replay")
	})
}

func TestPaletteChooses(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("ctrl+p l i f t")
		d.has("not now: there is no filter")
		d.keys("enter")
		d.has("f: there is no filter")
		d.keys("ctrl+p z z q")
		d.has("no such command")
		d.keys("enter")
		d.has("no such command")
		// What belongs to another screen opens it first.
		d.keys("ctrl+p r e p l a y space 4 2 2 enter")
		d.has("46/120", "2 Replay")
		d.keys("1 ctrl+p c o p y down")
		if a := d.m.over.palette; a.chosen()[a.window.Cursor()].help != a.chosen()[1].help || a.window.Cursor() != 1 {
			t.Error("down does not choose the second")
		}
		d.keys("up enter")
		d.has("copied")
		d.keys("ctrl+p F 2 enter") // by its key
		d.has("mouse on")
	})
}

// Help says in full why a key does nothing now, on the narrowest screen, too.
func TestHelpSaysWhy(t *testing.T) {
	inBubble(t, leastWidth, leastHeight, func(t *testing.T, d *driver) {
		for i, s := range d.m.screens {
			help := newHelp([]section{s.keys()})
			text := strings.Join(strings.Fields(ansi.Strip(strings.Join(help.helpLines(&d.m.theme, "test", leastWidth), "\n"))), " ")
			for _, b := range s.keys().bindings {
				if b.why != "" && !strings.Contains(text, "not now: "+b.why) {
					t.Errorf("%s: %s does not say %q", rooms[i].title, b.name, b.why)
				}
			}
		}
	})
}
