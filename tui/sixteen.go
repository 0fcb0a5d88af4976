package tui

import (
	"fmt"
	"strconv"
)

// sixteen is the colour of a terminal with sixteen of them that stands for one of
// the palette's. The nearest one by distance will not do: the grey that dims a
// text is nearest to a dark blue, which nobody can read on black.
func sixteen(colour string, dark bool) string {
	var r, g, b int
	if n, err := fmt.Sscanf(colour, "#%02x%02x%02x", &r, &g, &b); err != nil || n != 3 {
		return colour
	}
	high, low := max(r, g, b), min(r, g, b)
	if high-low < 48 {
		return strconv.Itoa(greyOf16(high, dark))
	}
	base := hueOf16(hue(r, g, b, high, low))
	if dark {
		base += 8
	}
	return strconv.Itoa(base)
}

// greyOf16 is one of black, white and the two greys, so that what is dimmed stays
// apart from what is not.
func greyOf16(value int, dark bool) int {
	steps := [3]int{0, 8, 7}
	limits := [2]int{0x60, 0x90}
	if dark {
		steps, limits = [3]int{8, 7, 15}, [2]int{0x70, 0xb0}
	}
	for i, limit := range limits {
		if value < limit {
			return steps[i]
		}
	}
	return steps[2]
}

// hue is an angle from 0 to 359: red at 0, green at 120, blue at 240.
func hue(r, g, b, high, low int) int {
	span := high - low
	switch high {
	case r:
		return (360 + 60*(g-b)/span) % 360
	case g:
		return 120 + 60*(b-r)/span
	}
	return 240 + 60*(r-g)/span
}

// hueOf16 is the colour of that hue: red 1, green 2, yellow 3, blue 4, magenta 5,
// cyan 6.
func hueOf16(hue int) int {
	for _, c := range []struct{ below, colour int }{{20, 1}, {80, 3}, {165, 2}, {190, 6}, {255, 4}, {330, 5}} {
		if hue < c.below {
			return c.colour
		}
	}
	return 1
}
