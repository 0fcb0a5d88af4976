package tui

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"idem/tui/cells"
)

// Every size is drawn exactly, on every screen. Each test takes a part of the
// sizes that differs by the screen; IDEM_SIZES=all takes all 201 x 201 of them,
// which is some two minutes of processor time.
func TestEverySize(t *testing.T) {
	const most = 200
	stride := 31
	if os.Getenv("IDEM_SIZES") == "all" {
		stride = 1
	}
	for i, keys := range fakeScenes {
		t.Run("after "+keys, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := drive(t, fakeConfig(&fake{total: 40, text: "plain text"}), 80, 24)
				d.keys(keys)
				for w := 0; w <= most; w++ {
					c := new(checker)
					for h := (w + i) % stride; h <= most; h += stride {
						d.m.Update(sizeMsg(w, h))
						c.check(t, d.m.View().Content, w, h)
					}
				}
			})
		})
	}
}

// checker checks views of one width. The lines of a view are nearly all those of
// the view that is one line higher, so each is looked at once.
type checker struct{ good map[string]bool }

func (c *checker) check(t testing.TB, view string, w, h int) {
	t.Helper()
	if c.good == nil {
		c.good = map[string]bool{}
	}
	lines := strings.Split(view, "\n")
	if h <= 0 {
		lines = lines[1:]
	}
	if len(lines) != max(h, 0) {
		t.Fatalf("%dx%d: %d lines", w, h, len(lines))
	}
	for i, line := range lines {
		if c.good[line] {
			continue
		}
		if got := cells.Width(line); got > w {
			t.Fatalf("%dx%d: line %d has %d cells: %q", w, h, i, got, line)
		}
		if bad := unprintable(line); bad != "" {
			t.Fatalf("%dx%d: line %d lets %q through: %q", w, h, i, bad, line)
		}
		c.good[line] = true
	}
}
