package prompt

import (
	"strings"
	"testing"

	"idem/tui/cells"
	"pgregory.net/rapid"
)

func same(s string) string { return s }

func typed(keys ...string) string {
	var l Line
	for _, k := range keys {
		text := ""
		if len([]rune(k)) == 1 {
			text = k
		}
		l.Key(k, text)
	}
	return l.Text()
}

func TestEditing(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"a b c", "abc"},
		{"a b left x", "axb"},
		{"a b home x end y", "xaby"},
		{"a b backspace c", "ac"},
		{"a b left delete c", "ac"},
		{"a b ctrl+u c", "c"},
		{"a b left ctrl+k", "a"},
		{"backspace left delete ctrl+w", ""},
		{"한 글 left backspace", "글"},
	} {
		if got := typed(strings.Fields(c.keys)...); got != c.want {
			t.Errorf("%q types %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestDeletesWords(t *testing.T) {
	l := New("one two  ")
	l.Key("ctrl+w", "")
	if l.Text() != "one " {
		t.Errorf("left %q", l.Text())
	}
}

func TestPasteStaysOneLine(t *testing.T) {
	l := New("a\r\nb\nc\td\x1b[2J\x00e\u202e")
	if l.Text() != "a b c d[2Je" {
		t.Errorf("pasted %q", l.Text())
	}
	l = New(strings.Repeat("x", 2*Most))
	if len(l.Text()) != Most {
		t.Errorf("%d runes were taken", len(l.Text()))
	}
}

func TestKeysThatDoNotEdit(t *testing.T) {
	var l Line
	for _, k := range []string{"f2", "up", "ctrl+p", "tab"} {
		if l.Key(k, "") {
			t.Errorf("%s edits", k)
		}
	}
}

func TestViewIsExactAndShowsTheCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(rapid.StringOf(rapid.RuneFrom([]rune("abc 한글"))).Draw(t, "text"))
		for range rapid.IntRange(0, 10).Draw(t, "left") {
			l.Key("left", "")
		}
		w := rapid.IntRange(10, 40).Draw(t, "w")
		view := l.View("find ", w, same, func(s string) string { return "\x1b[7m" + s + "\x1b[m" })
		if got := cells.Width(view); got != w {
			t.Fatalf("%d cells, want %d: %q", got, w, view)
		}
		if !strings.Contains(view, "\x1b[7m") {
			t.Fatalf("no cursor in %q", view)
		}
	})
}
