package spark

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		values []int64
		w      int
		want   string
	}{
		{[]int64{0, 1, 4, 8}, 4, "▁▂▅█"},
		{[]int64{5, 5}, 5, "████ "},
		{[]int64{1, 1, 2, 0}, 2, "██"},
		{[]int64{0, 0}, 2, "▁▁"},
		{nil, 3, "   "},
		{[]int64{1}, 0, ""},
		{[]int64{1 << 62, 1 << 61}, 2, "█▅"},
	} {
		if got := Line(c.values, c.w); got != c.want {
			t.Errorf("Line(%v, %d) = %q, want %q", c.values, c.w, got, c.want)
		}
	}
}

func TestLineIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64(), 0, 50).Draw(t, "values")
		w := rapid.IntRange(0, 60).Draw(t, "w")
		if got := utf8.RuneCountInString(Line(values, w)); got != w {
			t.Fatalf("%d cells, want %d", got, w)
		}
	})
}

func TestResampleKeepsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 50).Draw(t, "values")
		var want, got int64
		for _, v := range values {
			want += v
		}
		for _, v := range Resample(values, rapid.IntRange(1, 60).Draw(t, "w")) {
			got += v
		}
		if got != want {
			t.Fatalf("sum %d, want %d", got, want)
		}
	})
}
