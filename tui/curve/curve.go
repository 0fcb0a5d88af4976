// Package curve draws a series of numbers as a line of braille dots.
package curve

import "math/bits"

// Each cell holds two columns of four dots.
const (
	across, down = 2, 4
	blank        = '\u2800'
)

// dots are the bits of a braille cell, by column and row from the top.
var dots = [across][down]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// Lines draws values in exactly h lines of exactly w cells, as a staircase: the
// first value at the left edge, the last at the right one, zero on the bottom
// row and the largest on the top one. Negative values count as zero.
func Lines(values []int64, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	grid := make([][]rune, h)
	for y := range grid {
		grid[y] = make([]rune, w)
		for x := range grid[y] {
			grid[y][x] = blank
		}
	}
	most := int64(1)
	for _, v := range values {
		most = max(most, v)
	}
	before := -1
	for x := 0; x < w*across && len(values) > 0; x++ {
		row := Row(values[x*len(values)/(w*across)], most, h*down)
		from, to := row, row
		if before >= 0 {
			from, to = min(row, before), max(row, before)
		}
		for y := from; y <= to; y++ {
			grid[y/down][x/across] |= dots[x%across][y%down]
		}
		before = row
	}
	lines := make([]string, h)
	for y := range grid {
		lines[y] = string(grid[y])
	}
	return lines
}

// Row is the row from the top, of rows, that a value lies on. Only zero is on
// the bottom one where there are two or more.
func Row(v, most int64, rows int) int {
	if v <= 0 || most <= 0 {
		return rows - 1
	}
	hi, lo := bits.Mul64(uint64(min(v, most)), uint64(rows-1))
	up, _ := bits.Div64(hi, lo, uint64(most))
	if up == 0 && rows > 1 {
		up = 1
	}
	return rows - 1 - int(up)
}

// Cell is the cell of w in which the drawing of value i of n begins.
func Cell(i, n, w int) int {
	if n < 1 || w < 1 {
		return 0
	}
	return min(w-1, max(0, (i*w+n-1)/n))
}
