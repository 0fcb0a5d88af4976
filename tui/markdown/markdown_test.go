package markdown

import (
	"maps"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"idem/tui/cells"
)

const page = "# Title\n\nSome **bold** text with `code` and a [link](http://example.org).\n\n" +
	"| key | amount |\n|---|---:|\n| `한글` | 1,000 |\n\n- one\n- two\n"

var look = Look{Heading: "#010203", Code: "#040506", Link: "#070809"}

// Nothing is painted but in the colours of the look, and no background is.
func TestColoursAreTheLooks(t *testing.T) {
	lines, err := Lines("# One\n\n###### Six\n\n`code` ![i](x.png)\n\n---\n\n```go\nfunc f() {}\n```\n"+page, 60, look)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, colour := range regexp.MustCompile(`[345]8;2;\d+;\d+;\d+|[345]8;5;\d+|\b[349]\dm|\b10\dm`).FindAllString(strings.Join(lines, "\n"), -1) {
		seen[colour] = true
	}
	if want := map[string]bool{"38;2;1;2;3": true, "38;2;4;5;6": true, "38;2;7;8;9": true}; !maps.Equal(seen, want) {
		t.Errorf("painted in %v", seen)
	}
}

func TestLinesFit(t *testing.T) {
	for _, w := range []int{1, 5, 20, 80, 200} {
		lines, err := Lines(page, w, look)
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
	lines, err := Lines(page, 60, Look{})
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
		for _, l := range []Look{look, {}} {
			lines, err := Lines(text, 40, l)
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
