// Package rail draws a position on a line from 1 to a total: how far things have
// come, what lies on the way, and where one is.
package rail

import "strings"

// Rail is a line over positions 1..Total; position 0 is before the first.
type Rail struct {
	Total, At, Frontier int64
	// Mark gives the glyph, one cell, of what lies at positions from..to; "" for
	// nothing. It may be nil.
	Mark func(from, to int64) string
	// Done and Rest draw the line up to the frontier and beyond it, Knob the
	// position. Each gets text of one or more cells.
	Done, Rest, Knob func(string) string
}

// Line draws the rail in exactly w cells.
func (r Rail) Line(w int) string {
	var b strings.Builder
	knob := r.Cell(r.At, w)
	for x := range max(0, w) {
		switch from, to := r.Span(x, w); {
		case x == knob:
			b.WriteString(r.Knob("●"))
		case from <= r.Frontier && r.mark(from, min(to, r.Frontier)) != "":
			b.WriteString(r.mark(from, min(to, r.Frontier)))
		case from <= r.Frontier, r.Total > 0 && r.Frontier >= r.Total: // cells behind the last position, too
			b.WriteString(r.Done("━"))
		default:
			b.WriteString(r.Rest("─"))
		}
	}
	return b.String()
}

func (r Rail) mark(from, to int64) string {
	if r.Mark == nil {
		return ""
	}
	return r.Mark(from, to)
}

// Cell is the cell of w in which a position lies. Position 0 shares the first
// cell with position 1.
func (r Rail) Cell(at int64, w int) int {
	if r.Total < 1 || w < 1 {
		return 0
	}
	at = max(1, min(at, r.Total))
	return int(mul(at-1, int64(w), r.Total))
}

// Span is the range of positions, both included, that lie in cell x of w; an
// empty one (to < from) where there are more cells than positions.
func (r Rail) Span(x, w int) (from, to int64) {
	if w < 1 {
		return 1, 0
	}
	first := func(x int64) int64 { return mul(x, r.Total, int64(w)) }
	ceil := func(x int64) int64 {
		p := first(x)
		if p*int64(w) < x*r.Total {
			p++
		}
		return p
	}
	return ceil(int64(x)) + 1, ceil(int64(x) + 1)
}

// mul is a*b/c for figures whose product fits: a total of 2^40 on a screen of
// 2^20 cells does.
func mul(a, b, c int64) int64 { return a * b / max(1, c) }

// Position is the first position that lies in cell x of w, or the nearest one
// before it.
func (r Rail) Position(x, w int) int64 {
	if x < 0 || w < 1 {
		return min(1, r.Total)
	}
	from, to := r.Span(min(x, w-1), w)
	if to < from {
		from = to
	}
	return max(min(1, r.Total), min(from, r.Total))
}
