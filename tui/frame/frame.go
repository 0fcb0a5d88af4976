// Package frame draws boxes: cards with a title and a value, rules, panes.
package frame

import (
	"strings"

	"idem/tui/cells"
)

// Paint styles a piece of text without changing its width.
type Paint func(string) string

// Card is three lines of exactly w cells: a rounded box with the title in its
// upper edge and the value in the middle.
func Card(title, value string, w int, edge, name Paint) []string {
	if w < 4 {
		return cells.Block(nil, w, 3)
	}
	title = cells.Cut(title, w-4)
	top := edge("╭ ") + name(title)
	if title != "" {
		top += edge(" ")
	}
	line := strings.Repeat("─", max(0, w-1-cells.Width(top)))
	return []string{
		top + edge(line+"╮"),
		edge("│") + cells.Center(value, w-2) + edge("│"),
		edge("╰" + strings.Repeat("─", w-2) + "╯"),
	}
}

// Rule is a line of w cells with a title near its left end.
func Rule(title string, w int, edge, name Paint) string {
	if w <= 0 {
		return ""
	}
	if title == "" || w < 8 {
		return edge(strings.Repeat("─", w))
	}
	title = cells.Cut(title, w-5)
	head := edge("── ") + name(title) + " "
	return head + edge(strings.Repeat("─", max(0, w-cells.Width(head))))
}
