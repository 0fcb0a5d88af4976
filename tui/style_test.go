package tui

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// styled are the scenes whose colours are looked at: sums, both lists, an outcome
// of each kind, the end of the day, help.
var styled = []scene{
	{"incident", "j"},
	{"replay-mismatch", "2 e e"},
	{"replay-end", "2 G"},
	{"help", "2 ?"},
}

// How each theme paints, as its sequences.
func TestThemesPaint(t *testing.T) {
	for _, name := range Themes()[1:] {
		for _, s := range styled {
			t.Run(name+"-"+s.name, func(t *testing.T) {
				view := painted(t, Config{Theme: name}, colorprofile.TrueColor, s.keys)
				golden(t, "style/"+name+"-"+s.name, sequences(view))
			})
		}
	}
}

// What is left of the colours on a terminal that has fewer of them.
func TestProfilesPaint(t *testing.T) {
	for name, p := range map[string]colorprofile.Profile{
		"truecolor": colorprofile.TrueColor, "256": colorprofile.ANSI256, "16": colorprofile.ANSI, "none": colorprofile.Ascii,
	} {
		for _, s := range styled[:3] {
			t.Run(name+"-"+s.name, func(t *testing.T) {
				view := painted(t, Config{NoColor: p == colorprofile.Ascii}, p, s.keys)
				var fewer bytes.Buffer
				w := colorprofile.Writer{Forward: &fewer, Profile: p}
				if _, err := w.WriteString(view); err != nil {
					t.Fatal(err)
				}
				golden(t, "style/profile-"+name+"-"+s.name, sequences(fewer.String()))
				if p == colorprofile.Ascii && sequences(fewer.String()) != sequences(view) {
					t.Error("without colour there still is something to take away")
				}
			})
		}
	}
}

// painted is a scene of the lab's day as it is drawn on a dark terminal.
func painted(t *testing.T, how Config, p colorprofile.Profile, keys string) (view string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cfg := labConfig(t)
		cfg.OutDir, cfg.Theme, cfg.NoColor = "idem-report", how.Theme, how.NoColor
		t.Chdir(t.TempDir())
		d := drive(t, cfg, 80, 24)
		d.send(tea.ColorProfileMsg{Profile: p})
		d.keys(keys)
		view = d.m.View().Content
		checkView(t, view, 80, 24)
	})
	return view
}

var sgr = regexp.MustCompile(`\x1b\[([0-9;:]*)m`)

// sequences is a view whose SGR sequences can be read: ⟦1;31⟧ is bold and red, ⟦⟧
// is plain again.
func sequences(view string) string {
	return strings.ReplaceAll(plainScreen(sgr.ReplaceAllString(view, "⟦$1⟧")), "⟦0⟧", "⟦⟧")
}

// A terminal that answers that its background is light is painted for that.
func TestBackgroundIsAnswered(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		dark := d.m.View().Content
		d.send(tea.BackgroundColorMsg{Color: white{}})
		if light := d.m.View().Content; light == dark || stripped(d.m) != stripAll(dark) {
			t.Error("a light background changes nothing, or more than the colours")
		}
	})
}

type white struct{}

func (white) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }

func stripAll(view string) string { return sgr.ReplaceAllString(view, "") }
