package prompt

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"idem/tui/cells"
)

func same(s string) string { return s }

// press is the message of a key by its name, or of a rune that was typed.
func press(name string) tea.KeyPressMsg {
	if r := []rune(name); len(r) == 1 {
		return tea.KeyPressMsg{Code: r[0], Text: name}
	}
	if r, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(r)[0], Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: map[string]rune{"left": tea.KeyLeft, "home": tea.KeyHome, "end": tea.KeyEnd, "up": tea.KeyUp,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "tab": tea.KeyTab, "f2": tea.KeyF2}[name]}
}

func typed(keys ...string) string {
	l := New("")
	for _, k := range keys {
		l.Key(press(k))
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
	l.Key(press("ctrl+w"))
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
	l := New("")
	for _, k := range []string{"f2", "up", "ctrl+p", "tab"} {
		if l.Key(press(k)) {
			t.Errorf("%s edits", k)
		}
	}
}

func TestViewIsExactAndShowsTheCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(rapid.StringOf(rapid.RuneFrom([]rune("abc 한글"))).Draw(t, "text"))
		for range rapid.IntRange(0, 10).Draw(t, "left") {
			l.Key(press("left"))
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
