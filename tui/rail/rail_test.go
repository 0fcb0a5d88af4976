package rail

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func plain(s string) string { return s }

func line(total, at, frontier int64, w int, marks ...int64) string {
	r := Rail{Total: total, At: at, Frontier: frontier, Done: plain, Rest: plain, Knob: plain, Mark: func(from, to int64) string {
		for _, m := range marks {
			if from <= m && m <= to {
				return "x"
			}
		}
		return ""
	}}
	return r.Line(w)
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		total, at, frontier int64
		w                   int
		marks               []int64
		want                string
	}{
		{10, 1, 1, 10, nil, "●─────────"},
		{10, 4, 6, 10, []int64{2, 9}, "━x━●━━────"},
		{100, 100, 100, 10, []int64{31}, "━━━x━━━━━●"},
		{3, 2, 2, 9, nil, "━━━●─────"},
		{3, 2, 3, 8, nil, "━━●━━━━━"},
		{0, 0, 0, 4, nil, "●───"},
		{10, 0, 0, 5, nil, "●────"},
		{10, 3, 3, 0, nil, ""},
	} {
		if got := line(c.total, c.at, c.frontier, c.w, c.marks...); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

// Every position lies in one cell, and a click there goes back into that cell.
func TestCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 1<<30).Draw(t, "total")
		at := rapid.Int64Range(1, total).Draw(t, "at")
		w := rapid.IntRange(1, 300).Draw(t, "w")
		r := Rail{Total: total, At: at, Frontier: total, Done: plain, Rest: plain, Knob: plain}
		x := r.Cell(at, w)
		if x < 0 || x >= w {
			t.Fatalf("cell %d of %d", x, w)
		}
		if from, to := r.Span(x, w); at < from || at > to {
			t.Fatalf("position %d is not in the span %d..%d of its cell", at, from, to)
		}
		if back := r.Cell(r.Position(x, w), w); back != x {
			t.Fatalf("a click on cell %d goes to cell %d", x, back)
		}
		if got := utf8.RuneCountInString(r.Line(w)); got != w {
			t.Fatalf("%d cells, want %d", got, w)
		}
	})
}
