package analysis

import (
	"time"

	"idem/analysis/calendar"
)

// parseInstant reads an RFC 3339 timestamp as nanoseconds since 1970 UTC. It
// takes what RFC 3339 section 5.6 allows: upper or lower case T and Z, a space
// for the T, any number of fraction digits (those beyond nanoseconds are cut),
// and offsets up to 23:59. A date that does not exist is refused and so is a
// leap second, which has no place of its own in the count.
func parseInstant(b []byte) (int64, bool) {
	const fixed = len("2006-01-02T15:04:05")
	if len(b) <= fixed || b[4] != '-' || b[7] != '-' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	if c := b[10]; c != 'T' && c != 't' && c != ' ' {
		return 0, false
	}
	y1, y2, mo, d := two(b, 0), two(b, 2), two(b, 5), two(b, 8)
	h, mi, s := two(b, 11), two(b, 14), two(b, 17)
	// A field that is not two digits is negative, and so is the OR of all.
	if y1|y2|mo|d|h|mi|s < 0 {
		return 0, false
	}
	y := y1*100 + y2
	if y < calendar.FirstYear || y > calendar.LastYear || mo < 1 || mo > 12 || d < 1 || d > calendar.DaysIn(y, mo) || h > 23 || mi > 59 || s > 59 {
		return 0, false
	}
	nanos, rest, ok := fraction(b[fixed:])
	if !ok {
		return 0, false
	}
	offset, ok := zone(rest)
	if !ok {
		return 0, false
	}
	seconds := calendar.Days(y, mo, d)*86_400 + int64(h*3_600+mi*60+s-offset)
	return seconds*int64(time.Second) + nanos, true
}

// two is the number of the two digits at b[i:], negative when they are none.
func two(b []byte, i int) int {
	hi, lo := b[i]-'0', b[i+1]-'0'
	if hi > 9 || lo > 9 {
		return -1
	}
	return int(hi)*10 + int(lo)
}

// fraction reads an optional ".digits" and gives it in nanoseconds.
func fraction(b []byte) (nanos int64, rest []byte, ok bool) {
	if b[0] != '.' {
		return 0, b, true
	}
	i := 1
	unit := int64(time.Second)
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		unit /= 10
		nanos += int64(b[i]-'0') * unit
	}
	return nanos, b[i:], i > 1
}

// zone reads "Z" or "+hh:mm" and gives it in seconds east of UTC.
func zone(b []byte) (seconds int, ok bool) {
	if len(b) == 1 {
		return 0, b[0]|0x20 == 'z'
	}
	if len(b) != 6 || b[0] != '+' && b[0] != '-' || b[3] != ':' {
		return 0, false
	}
	h, m := two(b, 1), two(b, 4)
	if h|m < 0 || h > 23 || m > 59 {
		return 0, false
	}
	seconds = h*3_600 + m*60
	if b[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// instant is ns nanoseconds since 1970 as a time in UTC.
func instant(ns int64) time.Time { return time.Unix(0, ns).UTC() }
