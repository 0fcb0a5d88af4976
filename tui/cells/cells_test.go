package cells

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

var text = rapid.StringOf(rapid.RuneFrom([]rune("ab ,.-한漢…₩─x\u0301é")))

func TestFitIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, w := text.Draw(t, "s"), rapid.IntRange(0, 30).Draw(t, "w")
		for name, f := range map[string]func(string, int) string{"Fit": Fit, "Right": Right, "Center": Center} {
			if got := Width(f(s, w)); got != w {
				t.Fatalf("%s(%q, %d) has %d cells", name, s, w, got)
			}
		}
		if got := Width(Cut(s, w)); got > w {
			t.Fatalf("Cut(%q, %d) has %d cells", s, w, got)
		}
	})
}

// The fast way to measure agrees with the library's.
func TestWidth(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "Z", " ", "~", "\x1b[1m", "\x1b[38;5;2m", "\x1b[m", "\x1b[2J", "\x1b", "한", "m", "\x7f", "\t",
		"─", "⣿", "…", "₩", "●", "漢", "\u0301", "\ufe0f", "\u200d", "\u11ab", "❤", "é", "\x9b"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Fatalf("Width(%q) = %d, want %d", s, got, want)
		}
	})
}

// What is taken to stand alone is as wide as the library says, next to its kind.
func TestAloneWidth(t *testing.T) {
	for r := rune(0); r < 0x20000; r++ {
		if w := aloneWidth(r); w > 0 {
			for _, s := range []string{string(r), "가" + string(r) + "─", string(r) + string(r) + "a"} {
				if got, want := Width(s), ansi.StringWidth(s); got != want {
					t.Errorf("%q has %d cells, want %d", s, got, want)
				}
			}
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		left, right string
		w           int
		want        string
	}{
		{"left", "right", 12, "left   right"},
		{"left", "", 6, "left  "},
		{"a long left", "right", 10, "a l… right"},
		{"a long left", "and a long right", 10, "a l… and …"},
		{"x", "y", 0, ""},
	} {
		if got := Spread(c.left, c.right, c.w); got != c.want {
			t.Errorf("Spread(%q, %q, %d) = %q, want %q", c.left, c.right, c.w, got, c.want)
		}
	}
}

func TestSpreadAny(t *testing.T) {
	for w, want := range map[int]string{13: "ab long right", 6: "ab   r", 3: "… r"} {
		if got := SpreadAny("ab", w, "long right", "r"); got != want {
			t.Errorf("in %d cells %q, want %q", w, got, want)
		}
	}
}

func TestBlock(t *testing.T) {
	got := Block([]string{"abc", "d", "e"}, 2, 2)
	if want := []string{"a…", "d "}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("Block = %q, want %q", got, want)
	}
	if got := Block(nil, 3, 1); got[0] != "   " {
		t.Errorf("empty Block = %q", got)
	}
	if got := Block([]string{"a"}, 3, -1); len(got) != 0 {
		t.Errorf("Block of no height = %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"one two three", 7, "one two|three"},
		{"acc-01 acc-02", 6, "acc-01|acc-02"},
		{"abcdefgh ij", 3, "abc|def|gh|ij"},
		{"한글한글", 5, "한글|한글"},
		{"한", 1, "한"},
		{"", 4, ""},
	} {
		if got := strings.Join(Wrap(c.in, c.w), "|"); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

// Wrapping loses nothing but the spaces it breaks at.
func TestWrapKeepsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("ab  한₩"))).Draw(t, "s")
		w := rapid.IntRange(2, 12).Draw(t, "w")
		lines := Wrap(s, w)
		if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(s, " ", "") {
			t.Fatalf("Wrap(%q, %d) = %q", s, w, lines)
		}
		for _, line := range lines {
			if Width(line) > w {
				t.Fatalf("Wrap(%q, %d) has a line %q", s, w, line)
			}
		}
	})
}

func TestFlow(t *testing.T) {
	got := Flow([]string{"aaa", "bbb", "cc", "dddddddddd"}, 2, 9)
	if want := "aaa  bbb|cc|dddddddddd"; strings.Join(got, "|") != want {
		t.Errorf("Flow = %q, want %q", got, want)
	}
}
