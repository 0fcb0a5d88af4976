package column

import (
	"testing"

	"idem/tui/cells"
	"pgregory.net/rapid"
)

var columns = []Column{
	{Title: "key", Min: 4, Max: 10},
	{Title: "n", Min: 3, Right: true},
	{Title: "note", Min: 6, Drop: 1},
	{Title: "more", Min: 6, Drop: 2},
}

func TestRows(t *testing.T) {
	for _, c := range []struct {
		w            int
		header, want string
	}{
		{31, "key           n  note    more  ", "abcdefghi…   42  x       y     "},
		{19, "key       n  note  ", "abcde…   42  x     "},
		{9, "key     n", "abc…   42"},
		{4, "key…", "abc…"},
	} {
		l := Fit(columns, 2, c.w)
		if got := l.Header(); got != c.header {
			t.Errorf("%d: header %q, want %q", c.w, got, c.header)
		}
		if got := l.Row([]string{"abcdefghijkl", "42", "x", "y"}, nil); got != c.want {
			t.Errorf("%d: row %q, want %q", c.w, got, c.want)
		}
	}
}

func TestDropsTheMostDispensableFirst(t *testing.T) {
	l := Fit(columns, 2, 18)
	if !l.Has(2) || l.Has(3) || l.Width(1) != 3 {
		t.Errorf("18 cells: note %v, more %v, n %d wide", l.Has(2), l.Has(3), l.Width(1))
	}
}

func TestRowsAreExact(t *testing.T) {
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab 한…")))
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(0, 60).Draw(t, "w")
		texts := rapid.SliceOfN(text, 0, 6).Draw(t, "texts")
		l := Fit(columns, rapid.IntRange(0, 3).Draw(t, "gap"), w)
		if got := cells.Width(l.Row(texts, nil)); got != w {
			t.Fatalf("%d cells, want %d", got, w)
		}
	})
}

func TestPaintGetsCellsOfFullWidth(t *testing.T) {
	l := Fit(columns, 1, 40)
	l.Row([]string{"k", "1"}, func(c int, text string) string {
		if cells.Width(text) != l.Width(c) {
			t.Errorf("column %d is painted as %q, %d wide", c, text, l.Width(c))
		}
		return text
	})
}

func TestColumnsThatAreOff(t *testing.T) {
	off := append([]Column{}, columns...)
	off[1].Off = true
	l := Fit(off, 2, 20)
	if got := l.Header(); got != "key   note    more  " || l.Has(1) {
		t.Errorf("header %q", got)
	}
}
