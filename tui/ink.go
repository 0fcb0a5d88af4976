package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// ink is a style as what goes before and after a text of one line. A frame is
// hundreds of short styled pieces, and lipgloss lays each of them out as a block,
// at many times the cost of the two sequences that it comes down to.
type ink struct {
	style         lipgloss.Style
	before, after string
}

func newInk(style lipgloss.Style) ink {
	before, after, _ := strings.Cut(style.Render("x"), "x")
	return ink{style, before, after}
}

// Render styles a text of one line. An empty one needs no sequences.
func (i ink) Render(text string) string {
	if text == "" {
		return ""
	}
	return i.before + text + i.after
}

// bold is the same ink, bold.
func (i ink) bold() ink { return newInk(i.style.Bold(true)) }
