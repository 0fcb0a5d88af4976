package tui

import (
	"idem/analysis/replay"
)

// Each outcome has a glyph, a word and a colour, so that it reads without colour.

// glyph is the outcome's sign, one cell.
func glyph(c replay.Class) string {
	switch c {
	case replay.Created:
		return "+"
	case replay.Replayed:
		return "="
	case replay.InFlight:
		return "!"
	case replay.Mismatch:
		return "x"
	case replay.Refused:
		return "-"
	}
	return "~"
}

func (t *theme) outcome(c replay.Class) ink {
	switch c {
	case replay.Created:
		return t.created
	case replay.Replayed:
		return t.replayed
	case replay.InFlight:
		return t.inFlight
	case replay.Mismatch:
		return t.mismatch
	case replay.Refused:
		return t.refused
	}
	return t.running
}

// count is how many requests became c, by sums.
func count(c replay.Class, sums *replay.Counters) int64 {
	switch c {
	case replay.Created:
		return sums.Created
	case replay.Replayed:
		return sums.Replayed
	case replay.InFlight:
		return sums.InFlight
	case replay.Mismatch:
		return sums.Mismatch
	case replay.Refused:
		return sums.Refused
	}
	return sums.Running
}
