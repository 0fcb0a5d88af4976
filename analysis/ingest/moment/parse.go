package moment

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"idem/analysis/calendar"
)

// Reader reads times of one column. The zero value reads RFC 3339 and its kin,
// and refuses what has no zone.
type Reader struct {
	// Zone is where local times are read; nil refuses them.
	Zone *time.Location
	// Unit is the unit of a time that is a bare number since 1970; 0 refuses them.
	Unit time.Duration
	// Layout is a layout of Go's time package for everything else; "" means ISO
	// 8601 and the form of the Apache log, 10/Oct/2000:13:55:36 -0700.
	Layout string
}

// Read gives a time in nanoseconds since 1970 UTC.
func (r *Reader) Read(b []byte) (int64, error) {
	switch {
	case r.Layout != "":
		return r.layout(string(b))
	case len(b) > 10 && b[4] == '-':
		return r.iso(b)
	case len(b) > 11 && b[2] == '/' && b[6] == '/':
		return r.apache(b)
	case isNumber(b):
		return r.number(b)
	}
	return 0, fmt.Errorf("%w: %.40q", ErrForm, b)
}

// iso reads 2006-01-02T15:04:05, with T, t or a blank, a fraction behind a point
// or comma, and a zone Z, +hh:mm, +hhmm, +hh or none.
func (r *Reader) iso(b []byte) (int64, error) {
	const fixed = len("2006-01-02T15:04:05")
	if len(b) < fixed || b[7] != '-' || b[13] != ':' || b[16] != ':' || b[10] != 'T' && b[10] != ' ' && b[10] != 't' {
		return 0, fmt.Errorf("%w: %.40q", ErrForm, b)
	}
	y1, y2 := two(b, 0), two(b, 2)
	c := civil{year: y1*100 + y2, month: two(b, 5), day: two(b, 8), hour: two(b, 11), minute: two(b, 14), second: two(b, 17)}
	// A field that is not two digits is negative, and so is the OR of all.
	if y1|y2|c.month|c.day|c.hour|c.minute|c.second < 0 {
		return 0, fmt.Errorf("%w: %.40q", ErrForm, b)
	}
	rest, ok := c.fraction(b[fixed:])
	if !ok {
		return 0, fmt.Errorf("%w: %.40q", ErrForm, b)
	}
	return r.zoned(&c, bytes.TrimLeft(rest, " "))
}

// fraction reads an optional ".digits" or ",digits".
func (c *civil) fraction(b []byte) (rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '.' && b[0] != ',' {
		return b, true
	}
	i, unit := 1, int64(time.Second)
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		unit /= 10
		c.nanos += int64(b[i]-'0') * unit
	}
	return b[i:], i > 1
}

func (r *Reader) zoned(c *civil, zone []byte) (int64, error) {
	switch string(zone) {
	case "":
		return c.in(r.Zone)
	case "Z", "z", "UTC", "GMT":
		return c.utc(0)
	}
	offset, err := offsetOf(zone)
	if err != nil {
		return 0, err
	}
	return c.utc(offset)
}

const maxOffset = 14 * 3600

// offsetOf reads +hh:mm, +hhmm or +hh, in seconds east of UTC.
func offsetOf(b []byte) (int, error) {
	if len(b) < 3 || b[0] != '+' && b[0] != '-' {
		return 0, fmt.Errorf("%w: the zone %.20q is unknown", ErrForm, b)
	}
	h, m := two(b, 1), 0
	switch rest := b[3:]; {
	case len(rest) == 0:
	case len(rest) == 2:
		m = two(rest, 0)
	case len(rest) == 3 && rest[0] == ':':
		m = two(rest, 1)
	default:
		h = -1
	}
	if h|m < 0 || m > 59 {
		return 0, fmt.Errorf("%w: the zone %.20q is unknown", ErrForm, b)
	}
	offset := h*3600 + m*60
	if offset > maxOffset {
		return 0, ErrOffset
	}
	if b[0] == '-' {
		offset = -offset
	}
	return offset, nil
}

const months = "janfebmaraprmayjunjulaugsepoctnovdec"

// apache reads 10/Oct/2000:13:55:36.123 -0700, with or without fraction and zone.
func (r *Reader) apache(b []byte) (int64, error) {
	const fixed = len("10/Oct/2000:13:55:36")
	if len(b) < fixed || b[11] != ':' || b[14] != ':' || b[17] != ':' {
		return 0, fmt.Errorf("%w: %.40q", ErrForm, b)
	}
	y1, y2 := two(b, 7), two(b, 9)
	month := strings.Index(months, strings.ToLower(string(b[3:6])))
	c := civil{year: y1*100 + y2, month: month/3 + 1, day: two(b, 0), hour: two(b, 12), minute: two(b, 15), second: two(b, 18)}
	rest, ok := c.fraction(b[fixed:])
	if y1|y2|c.day|c.hour|c.minute|c.second < 0 || month < 0 || month%3 != 0 || !ok {
		return 0, fmt.Errorf("%w: %.40q", ErrForm, b)
	}
	return r.zoned(&c, bytes.TrimLeft(rest, " "))
}

// number reads a count of units since 1970, with or without a fraction, exactly.
func (r *Reader) number(b []byte) (int64, error) {
	if r.Unit == 0 {
		return 0, fmt.Errorf("%w: %.40q", ErrNoUnit, b)
	}
	ns, err := Span(b, r.Unit)
	if err != nil || !inRange(ns) {
		return 0, ErrOutside
	}
	return ns, nil
}

func inRange(ns int64) bool {
	y := time.Unix(0, ns).UTC().Year()
	return y >= calendar.FirstYear && y <= calendar.LastYear
}

func (r *Reader) layout(text string) (int64, error) {
	t, err := time.Parse(r.Layout, text)
	if err != nil {
		return 0, fmt.Errorf("%w: %.40q is not of the form %s", ErrForm, text, r.Layout)
	}
	c := civil{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), t.Second(), int64(t.Nanosecond())}
	if strings.Contains(r.Layout, "07") || strings.Contains(r.Layout, "MST") {
		_, offset := t.Zone()
		return c.utc(offset)
	}
	return c.in(r.Zone)
}

// Span reads a decimal number of units exactly, as nanoseconds; finer digits
// are cut. It is for durations as well.
func Span(b []byte, unit time.Duration) (int64, error) {
	digits, negative := bytes.CutPrefix(b, []byte{'-'})
	whole, fraction, _ := bytes.Cut(digits, []byte{'.'})
	if !isNumber(b) || len(whole) > 19 {
		return 0, fmt.Errorf("%.40q is no number of units", b)
	}
	n, err := strconv.ParseInt(string(whole), 10, 64)
	limit := (1<<63 - 1) / int64(unit)
	if err != nil || n >= limit {
		return 0, fmt.Errorf("%.40q is beyond 292 years", b)
	}
	n *= int64(unit)
	for scale := int64(unit); len(fraction) > 0 && scale >= 10; fraction = fraction[1:] {
		scale /= 10
		n += int64(fraction[0]-'0') * scale
	}
	if negative {
		n = -n
	}
	return n, nil
}

// isNumber: -?digits(.digits)?
func isNumber(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte{'-'})
	points, digits := 0, 0
	for i, c := range b {
		switch {
		case c-'0' <= 9:
			digits++
		case c == '.' && i > 0 && points == 0:
			points++
		default:
			return false
		}
	}
	return digits > 0 && b[len(b)-1] != '.'
}

// two is the number of the two digits at b[i:], negative when they are none.
func two(b []byte, i int) int {
	hi, lo := b[i]-'0', b[i+1]-'0'
	if hi > 9 || lo > 9 {
		return -1
	}
	return int(hi)*10 + int(lo)
}

// Zone reads the name of a place of the IANA database, "UTC", or an offset
// such as +02:00.
func Zone(name string) (*time.Location, error) {
	if name == "UTC" || name == "Z" {
		return time.UTC, nil
	}
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		offset, err := offsetOf([]byte(name))
		if err != nil {
			return nil, err
		}
		return time.FixedZone(name, offset), nil
	}
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("%q is no zone: name a place such as Europe/Berlin, UTC, or an offset such as +02:00", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%q is no zone: name a place such as Europe/Berlin, UTC, or an offset such as +02:00", name)
	}
	return zone, nil
}

// Unit reads the name of a unit of time: s, ms, us or ns.
func Unit(name string) (time.Duration, error) {
	switch name {
	case "s":
		return time.Second, nil
	case "ms":
		return time.Millisecond, nil
	case "us":
		return time.Microsecond, nil
	case "ns":
		return time.Nanosecond, nil
	}
	return 0, fmt.Errorf("%q is no unit of time: it is s, ms, us or ns", name)
}
