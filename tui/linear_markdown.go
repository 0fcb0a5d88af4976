package tui

import "strings"

// spokenMarkdown is a report as statements, one a line: headings and points
// without their signs, and rows of tables as "column: value".
func spokenMarkdown(text string) []string {
	var lines []string
	var columns []string // of the table that the line before was in
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		cells, isRow := tableRow(line)
		switch {
		case !isRow:
			columns = nil
			if line = strings.TrimLeft(line, "#-> "); line != "" {
				lines = append(lines, line)
			}
		case columns == nil:
			columns = cells
		case !isRule(line):
			lines = append(lines, rowInWords(columns, cells))
		}
	}
	return lines
}

// tableRow splits a row of a table; a \| in a cell is none of its edges.
func tableRow(line string) (cells []string, ok bool) {
	if !strings.HasPrefix(line, "|") {
		return nil, false
	}
	const bar = "\x00"
	line = strings.Trim(strings.ReplaceAll(line, `\|`, bar), "|")
	for _, cell := range strings.Split(line, "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, bar, "|")))
	}
	return cells, true
}

func isRule(line string) bool { return strings.Trim(line, "|-: ") == "" }

// rowInWords names a row by its first cell, and the others by their columns
// where there is more than one.
func rowInWords(columns, cells []string) string {
	if len(cells) == 2 {
		return cells[0] + ": " + cells[1]
	}
	var parts []string
	for i, cell := range cells {
		if i < len(columns) && columns[i] != "" {
			cell = columns[i] + ": " + cell
		}
		parts = append(parts, cell)
	}
	return strings.Join(parts, "; ")
}
