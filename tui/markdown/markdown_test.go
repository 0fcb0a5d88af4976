package markdown

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"idem/tui/cells"
)

const page = "# Title\n\nSome **bold** text with `code` and a [link](http://example.org).\n\n" +
	"| key | amount |\n|---|---:|\n| `한글` | 1,000 |\n\n- one\n- two\n"

func TestLinesFit(t *testing.T) {
	for _, w := range []int{1, 5, 20, 80, 200} {
		lines, err := Lines(page, w, true, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if got := cells.Width(line); got > w {
				t.Errorf("%d cells of %d: %q", got, w, line)
			}
		}
	}
}

func TestNoColourIsPlainText(t *testing.T) {
	lines, err := Lines(page, 60, true, false)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(lines, "\n")
	if strings.Contains(text, "\x1b") {
		t.Errorf("an escape in %q", text)
	}
	for _, part := range []string{"Title", "bold", "code", "한글", "1,000"} {
		if !strings.Contains(text, part) {
			t.Errorf("lost %q in\n%s", part, text)
		}
	}
}

// An escape that is spelled as an entity, or stands in a link or in code, is
// made visible like any other.
func TestNothingButSGRGetsThrough(t *testing.T) {
	for _, text := range []string{
		"&#27;[2J", "&#x1b;]0;t&#7;", "&#x9b;31m", "`\x1b[2J`", "a\u202eb", "[x](http://e/\x1b]8;;)", "```\n\x1b[2J\x07\n```",
		"<b>\x1b[2J</b>", "# \x1b[8mhidden", "&#8238;abc",
	} {
		for _, colour := range []bool{true, false} {
			lines, err := Lines(text, 40, true, colour)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range lines {
				for _, r := range ansi.Strip(line) {
					if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
						t.Errorf("%q lets %q through: %q", text, r, line)
					}
				}
				if strings.Contains(line, "\x1b[8m") || strings.Contains(line, "\x1b[2J") || strings.Contains(line, "\x1b]") {
					t.Errorf("%q lets a sequence through: %q", text, line)
				}
			}
		}
	}
}
