package curve

import (
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []int64
		w, h   int
		want   []string
	}{
		{"nothing", nil, 2, 1, []string{"⠀⠀"}},
		{"zero is at the bottom", []int64{0}, 2, 1, []string{"⣀⣀"}},
		{"the largest is at the top", []int64{7}, 2, 2, []string{"⠉⠉", "⠀⠀"}},
		{"a step down", []int64{4, 0}, 2, 1, []string{"⠉⣇"}},
		{"small is not zero", []int64{1000, 1, 0}, 3, 1, []string{"⠉⠧⣄"}},
		{"no room", []int64{1}, 0, 3, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Lines(c.values, c.w, c.h); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Whatever the values, the drawing has its size and every column its dots.
func TestLinesHaveTheirSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64(), 1, 50).Draw(t, "values")
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 12).Draw(t, "h")
		lines := Lines(values, w, h)
		if len(lines) != h {
			t.Fatalf("%d lines", len(lines))
		}
		seen := make([]rune, w)
		for _, line := range lines {
			if utf8.RuneCountInString(line) != w {
				t.Fatalf("%q has not %d cells", line, w)
			}
			for x, r := range []rune(line) {
				seen[x] |= r - blank
			}
		}
		for x, r := range seen {
			if r&0x47 == 0 || r&0xb8 == 0 {
				t.Fatalf("cell %d has an empty column", x)
			}
		}
	})
}

// A larger value is never drawn lower.
func TestRowKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 100).Draw(t, "rows")
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		most := rapid.Int64Range(1, math.MaxInt64).Draw(t, "most")
		if a <= b && Row(a, most, rows) < Row(b, most, rows) {
			t.Fatalf("%d lies above %d", a, b)
		}
		if r := Row(a, most, rows); r < 0 || r >= rows {
			t.Fatalf("row %d of %d", r, rows)
		}
	})
}

func TestCell(t *testing.T) {
	for _, c := range [][4]int{{0, 4, 8, 0}, {1, 4, 8, 2}, {3, 4, 8, 6}, {9, 4, 8, 7}, {0, 0, 8, 0}, {2, 4, 0, 0}} {
		if got := Cell(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("Cell(%d, %d, %d) is %d, want %d", c[0], c[1], c[2], got, c[3])
		}
	}
}
