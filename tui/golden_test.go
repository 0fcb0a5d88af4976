package tui

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

// scene is a state of the workbench on the lab's day, reached by keys.
type scene struct{ name, keys string }

var scenes = []scene{
	{"incident", ""},
	{"incident-story", "enter"},
	{"incident-filter", "/ 8 4"},
	{"incident-narrowed", "z c l i e n t : s h o p - 2 enter"},
	{"replay-start", "2"},
	{"replay-in-flight", "2 e"},
	{"replay-mismatch-open", "2 e e enter"},
	{"replay-end", "2 G"},
	{"replay-filter", "2 G / o u t c o m e : 4 2 2 enter"},
	{"replay-breakpoints", "2 b 4 0 9 enter b k e y : 7 enter B space"},
	{"replay-columns", "2 e t j space"},
	{"replay-columns-chosen", "2 e t j space j space t"},
	{"replay-sorted", "2 G s j"},
	{"replay-marks", "2 e m p a i d enter n m enter M"},
	{"policy", "3"},
	{"report-missing", "4"},
	{"report", "2 G 4"},
	{"help", "2 ?"},
	{"palette", "ctrl+p"},
}

var goldenSizes = [][2]int{{80, 24}, {120, 40}, {60, 15}, {40, 10}, {1, 1}}

// tooSmallFor reports whether every scene looks alike at a size.
func tooSmallFor(size [2]int) bool { return size[0] < leastWidth || size[1] < leastHeight }

// tempPath is a folder of a test, which is another one each time.
var tempPath = regexp.MustCompile(`/tmp/[^ │]*`)

func TestScreens(t *testing.T) { screens(t, labConfig, scenes) }

// screens compares scenes of an incident with their golden files, at every size.
func screens(t *testing.T, config func(*testing.T) Config, scenes []scene) {
	for _, s := range scenes {
		for _, size := range goldenSizes {
			if tooSmallFor(size) && s.name != "incident" {
				continue
			}
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cfg := config(t)
					cfg.OutDir = "idem-report"
					t.Chdir(t.TempDir())
					d := drive(t, cfg, 80, 24)
					d.keys(s.keys)
					d.send(sizeMsg(size[0], size[1]))
					view := d.m.View().Content
					checkView(t, view, size[0], size[1])
					golden(t, name, plainScreen(d.screen()))
				})
			})
		}
	}
}

// plainScreen drops what fills the lines up.
func plainScreen(screen string) string {
	lines := strings.Split(tempPath.ReplaceAllString(screen, "/tmp/…"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// The notices about an incident that cannot be shown.
func TestClosedScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, fileConfig(t, filepath.Join(t.TempDir(), "no such\x1b[2J.db")), 80, 24)
		d.has(`no such\x1b[2J.db`, "r opens it again · q quits")
		checkView(t, d.m.View().Content, 80, 24)
	})
}

// Without colour nothing is lost: selection is reverse video and a mark, and
// each outcome has its glyph and its word.
func TestNoColour(t *testing.T) {
	colour := regexp.MustCompile(`\x1b\[[0-9;:]*?(3|4|9|10)[0-9][0-9;:]*m`)
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := labConfig(t)
				cfg.NoColor = true
				d := drive(t, cfg, 100, 30)
				d.keys(s.keys)
				view := d.m.View().Content
				if found := colour.FindString(view); found != "" {
					t.Errorf("a colour: %q", found)
				}
				if s.name == "incident" && !strings.Contains(view, "\x1b[7m") {
					t.Error("the selected row is not reverse")
				}
			})
		})
	}
}
