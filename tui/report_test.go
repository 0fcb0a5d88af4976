package tui

import (
	"slices"
	"strings"
	"testing"
)

// n and N go from section to section, or from match to match; a match is marked.
func TestFindInReport(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		marked := func() string {
			for line := range strings.Lines(d.screen()) {
				if strings.HasPrefix(line, "›") {
					return strings.TrimSpace(strings.TrimPrefix(line, "›"))
				}
			}
			return ""
		}
		d.keys("2 G 4")
		d.has("사고 보고서")
		for _, c := range []struct{ keys, at string }{
			{"n", "## 무엇이 잘못됐나"}, {"n", "### 중복된 키"}, {"N", "## 무엇이 잘못됐나"}, {"G n", "### 운영자"}, {"n", "### 운영자"},
		} {
			for _, key := range strings.Fields(c.keys) {
				d.keys(key)
				d.screen()
			}
			if got := marked(); got != c.at {
				t.Errorf("after %q at %q, want %q", c.keys, got, c.at)
			}
		}
		d.has("no section below")
		d.keys("/ " + typed("UNIQUE"))
		if !strings.Contains(marked(), "UNIQUE") {
			t.Errorf("%q is found", marked())
		}
		d.keys("/ backspace backspace backspace backspace backspace backspace " + typed("zzz"))
		d.has("no zzz below")
	})
}

func TestSections(t *testing.T) {
	const text = "# t\n\nfirst\n\n## a\nx\n### b\n"
	if got := sections(text); !slices.Equal(got, []string{"# t\n\nfirst\n\n", "## a\nx\n", "### b\n"}) {
		t.Errorf("%q", got)
	}
	if got := sections(""); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
