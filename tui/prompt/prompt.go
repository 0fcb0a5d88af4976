// Package prompt is a line of text that is being typed.
package prompt

import (
	"strings"
	"unicode"

	"idem/tui/cells"
)

// Most is the longest text that is taken, in runes.
const Most = 4096

// Line is an editable line of text. The zero Line is empty.
type Line struct {
	text   []rune
	cursor int
}

// New is a line that holds text, with the cursor at its end.
func New(text string) Line {
	var l Line
	l.Insert(text)
	return l
}

// Text is what the line holds.
func (l *Line) Text() string { return string(l.text) }

// Insert puts text in at the cursor. Line breaks and tabs become one space each
// and whatever else does not print is dropped, so that a paste stays one line.
func (l *Line) Insert(text string) {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ReplaceAll(text, "\r\n", "\n"))
	add := []rune(clean)
	add = add[:min(len(add), Most-len(l.text))]
	l.text = append(l.text[:l.cursor], append(add, l.text[l.cursor:]...)...)
	l.cursor += len(add)
}

// Key edits the line and reports whether the key was one for editing. Keys are
// named as Bubble Tea names them; text is what the key types.
func (l *Line) Key(key, text string) bool {
	switch key {
	case "left", "ctrl+b":
		l.cursor = max(0, l.cursor-1)
	case "right", "ctrl+f":
		l.cursor = min(len(l.text), l.cursor+1)
	case "home", "ctrl+a":
		l.cursor = 0
	case "end", "ctrl+e":
		l.cursor = len(l.text)
	case "backspace", "ctrl+h":
		l.cut(max(0, l.cursor-1), l.cursor)
	case "delete", "ctrl+d":
		l.cut(l.cursor, min(len(l.text), l.cursor+1))
	case "ctrl+u":
		l.cut(0, l.cursor)
	case "ctrl+k":
		l.cut(l.cursor, len(l.text))
	case "ctrl+w", "alt+backspace":
		l.cut(l.word(), l.cursor)
	default:
		if text == "" {
			return false
		}
		l.Insert(text)
	}
	return true
}

func (l *Line) cut(from, to int) {
	l.text = append(l.text[:from], l.text[to:]...)
	l.cursor = from
}

// word is where the word before the cursor begins.
func (l *Line) word() int {
	i := l.cursor
	for i > 0 && l.text[i-1] == ' ' {
		i--
	}
	for i > 0 && l.text[i-1] != ' ' {
		i--
	}
	return i
}

// View draws label and line in exactly w cells; block draws the cursor's cell.
// Show makes a piece of the text fit to be drawn. A text that is too long is
// seen around its cursor.
func (l *Line) View(label string, w int, show, block func(string) string) string {
	before, under := show(string(l.text[:l.cursor])), " "
	after := ""
	if l.cursor < len(l.text) {
		under = show(string(l.text[l.cursor]))
		after = show(string(l.text[l.cursor+1:]))
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
