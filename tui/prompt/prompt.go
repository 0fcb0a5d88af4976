// Package prompt is a line of text that is being typed: a text input of Bubbles
// that stays one line of printable text and is drawn in an exact width.
package prompt

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"idem/tui/cells"
)

// Most is the longest text that is taken, in runes.
const Most = 4096

// Line is an editable line of text. Make one with New.
type Line struct{ input textinput.Model }

// New is a line that holds text, with the cursor at its end.
func New(text string) Line {
	l := Line{textinput.New()}
	l.input.CharLimit = Most
	// Pasting comes from the terminal, and nothing is suggested: those keys are
	// free for the screen.
	for _, b := range []*key.Binding{&l.input.KeyMap.Paste, &l.input.KeyMap.AcceptSuggestion,
		&l.input.KeyMap.NextSuggestion, &l.input.KeyMap.PrevSuggestion} {
		b.SetEnabled(false)
	}
	l.input.Focus()
	l.Insert(text)
	return l
}

// Text is what the line holds.
func (l *Line) Text() string { return l.input.Value() }

// Insert puts text in at the cursor. Line breaks and tabs become one space each
// and whatever else does not print is dropped, so that a paste stays one line.
func (l *Line) Insert(text string) {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t': // terminals paste a line's end as \r
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ReplaceAll(text, "\r\n", "\n"))
	l.input, _ = l.input.Update(tea.PasteMsg{Content: clean})
}

// Key edits the line and reports whether the key was one for editing.
func (l *Line) Key(msg tea.KeyPressMsg) bool {
	m := l.input.KeyMap
	switch {
	case key.Matches(msg, m.CharacterForward, m.CharacterBackward, m.WordForward, m.WordBackward,
		m.DeleteWordBackward, m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor,
		m.DeleteCharacterBackward, m.DeleteCharacterForward, m.LineStart, m.LineEnd):
		l.input, _ = l.input.Update(msg)
	case msg.Text != "":
		l.Insert(msg.Text)
	default:
		return false
	}
	return true
}

// View draws label and line in exactly w cells; block draws the cursor's cell.
// Show makes a piece of the text fit to be drawn. A text that is too long is
// seen around its cursor.
func (l *Line) View(label string, w int, show, block func(string) string) string {
	text, cursor := []rune(l.input.Value()), l.input.Position()
	before, under := show(string(text[:cursor])), " "
	after := ""
	if cursor < len(text) {
		under = show(string(text[cursor]))
		after = show(string(text[cursor+1:]))
	}
	room := w - cells.Width(label) - cells.Width(under)
	if over := cells.Width(before) - room; over > 0 {
		before = tail(before, room)
	}
	return cells.Fit(label+before+block(under)+after, w)
}

// tail is the end of s that takes at most w cells, told by an ellipsis.
func tail(s string, w int) string {
	if w < 1 {
		return ""
	}
	runes := []rune(s)
	for len(runes) > 0 && cells.Width(string(runes)) > w-1 {
		runes = runes[1:]
	}
	return "…" + string(runes)
}
