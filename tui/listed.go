package tui

import (
	"idem/tui/cells"
	"idem/tui/frame"
)

// wideEnough is the width from which the list and its detail stand side by side.
const wideEnough = 110

// listWidth is how much of a wide screen a list gets; its detail has the rest.
func listWidth(w int) int { return max(66, min(w*55/100, 96)) }

// listed is a list with the detail of its row.
type listed struct {
	left   int    // columns of the list where the detail stands beside it
	below  int    // rows of the detail under it, the rule with its title among them
	title  string // of the detail
	table  func(y, w, h int) []string
	detail func(w int, at place) []string
}

// listed draws a list under some lines, its detail beside it where the screen is
// wide, under it where it is high, and else not at all.
func (t *theme) listed(lines []string, w, h int, l listed) []string {
	y := len(lines)
	h -= y
	switch {
	case w >= wideEnough:
		right := w - l.left - 3
		table := cells.Block(l.table(y, l.left, h), l.left, h)
		return append(lines, cells.Beside(table, t.edge.Render(" │ "), cells.Block(l.detail(right, beside), right, h))...)
	case h >= 12:
		lines = append(lines, cells.Block(l.table(y, w, h-l.below), w, h-l.below)...)
		lines = append(lines, frame.Rule(l.title, w, t.edge.Render, t.title.Render))
		return append(lines, cells.Block(l.detail(w, under), w, l.below-1)...)
	}
	return append(lines, l.table(y, w, h)...)
}
