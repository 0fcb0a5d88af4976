// Package column lays the columns of a table out: which of them a width has room
// for, how wide each is, and how a row of cells becomes one line.
package column

import (
	"slices"
	"strings"

	"idem/tui/cells"
)

// Column is one column of a table.
type Column struct {
	Title    string
	Min, Max int  // width in cells; Max below Min counts as Min
	Right    bool // aligned at its right, for figures
	Drop     int  // 0 always stays; the higher, the sooner it goes when there is no room
	Off      bool // not shown, whatever room there is
}

// Layout is a table fitted to a width.
type Layout struct {
	columns []Column
	widths  []int // 0: dropped
	gap     int
	width   int
}

// Fit fits columns with gap cells between them into w cells. Columns are dropped
// until the others' minimum fits; what is left over goes to those that may grow,
// from the left.
func Fit(columns []Column, gap, w int) Layout {
	l := Layout{columns: columns, widths: make([]int, len(columns)), gap: gap, width: max(0, w)}
	for i, c := range columns {
		if !c.Off {
			l.widths[i] = c.Min
		}
	}
	for l.taken() > w && l.drop() {
	}
	left := w - l.taken()
	for i, c := range columns {
		if l.widths[i] > 0 && left > 0 {
			more := min(left, max(0, c.Max-c.Min))
			l.widths[i] += more
			left -= more
		}
	}
	return l
}

func (l *Layout) taken() int {
	sum, n := 0, 0
	for _, w := range l.widths {
		if w > 0 {
			sum, n = sum+w, n+1
		}
	}
	return sum + l.gap*max(0, n-1)
}

// drop takes the most dispensable column away; false when none is left to take.
func (l *Layout) drop() bool {
	worst := -1
	for i, c := range l.columns {
		if l.widths[i] > 0 && c.Drop > 0 && (worst < 0 || c.Drop > l.columns[worst].Drop) {
			worst = i
		}
	}
	if worst < 0 {
		return false
	}
	l.widths[worst] = 0
	return true
}

// Has reports whether column i is shown.
func (l Layout) Has(i int) bool { return l.widths[i] > 0 }

// Width is how wide column i is; 0 when it is not shown.
func (l Layout) Width(i int) int { return l.widths[i] }

// Header is the line of titles, exactly as wide as the layout.
func (l Layout) Header() string {
	titles := make([]string, len(l.columns))
	for i, c := range l.columns {
		titles[i] = c.Title
	}
	return l.Row(titles, nil)
}

// Row makes one line, exactly as wide as the layout, of one text a column;
// missing ones are blank. Paint (may be nil) styles a cell once it has its width.
func (l Layout) Row(texts []string, paint func(column int, text string) string) string {
	var b strings.Builder
	used := 0
	for i, w := range l.widths {
		if w == 0 {
			continue
		}
		if used > 0 {
			b.WriteString(cells.Blank(l.gap))
			used += l.gap
		}
		text := l.cell(i, texts)
		if paint != nil {
			text = paint(i, text)
		}
		b.WriteString(text)
		used += w
	}
	if used > l.width {
		return cells.Fit(b.String(), l.width)
	}
	return b.String() + cells.Blank(l.width-used)
}

func (l Layout) cell(i int, texts []string) string {
	text := ""
	if i < len(texts) {
		text = texts[i]
	}
	if l.columns[i].Right {
		return cells.Right(text, l.widths[i])
	}
	return cells.Fit(text, l.widths[i])
}

// Widest is the width of the widest of texts, for a column's Min or Max.
func Widest(texts ...string) int {
	if len(texts) == 0 {
		return 0
	}
	return cells.Width(slices.MaxFunc(texts, func(a, b string) int {
		return cells.Width(a) - cells.Width(b)
	}))
}
