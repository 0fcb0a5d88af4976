// Package spark draws series of numbers as one line of bars.
package spark

import (
	"math/bits"
	"strings"
)

const bars = "▂▃▄▅▆▇█"

// none stands for zero: a line at the bottom that no other value has.
const none = '▁'

var steps = []rune(bars)

// Line draws values in exactly w cells. More values than cells are summed up,
// neighbours into one cell; fewer are each drawn as broad as fits, and the rest
// is blank. The tallest bar is the largest sum; only zero has the lowest.
func Line(values []int64, w int) string {
	if w <= 0 {
		return ""
	}
	if len(values) == 0 {
		return strings.Repeat(" ", w)
	}
	sums := Resample(values, w)
	most := int64(1)
	for _, v := range sums {
		most = max(most, v)
	}
	broad := max(1, w/len(sums))
	var b strings.Builder
	for _, v := range sums {
		b.WriteString(strings.Repeat(string(bar(v, most)), broad))
	}
	return b.String() + strings.Repeat(" ", w-broad*len(sums))
}

func bar(v, most int64) rune {
	if v <= 0 {
		return none
	}
	hi, lo := bits.Mul64(uint64(v), uint64(len(steps)-1))
	q, _ := bits.Div64(hi, lo, uint64(most))
	return steps[min(q, uint64(len(steps)-1))]
}

// Resample sums values up into at most w of them.
func Resample(values []int64, w int) []int64 {
	if len(values) <= w {
		return values
	}
	sums := make([]int64, w)
	for i, v := range values {
		sums[i*w/len(values)] += max(0, v)
	}
	return sums
}
