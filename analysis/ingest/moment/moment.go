// Package moment reads the times that logs and ledgers write, as nanoseconds
// since 1970 UTC. It guesses nothing: a local time without a zone is an error
// until a zone was given, and so is one that a clock change skipped or repeated.
//
// Rules: digits beyond nanoseconds are cut. Offsets go to 14:00, as RFC 9557
// and ISO 8601 practice have them. A leap second (23:59:60 UTC on the last day
// of a month) is the instant POSIX gives it, that of the following 00:00:00.
// Dates that do not exist are errors. Years go from 1678 to 2261.
package moment

import (
	"errors"
	"time"
	_ "time/tzdata" // zones are the same on machines that have none

	"idem/analysis/calendar"
)

// Errors of a time that cannot be placed.
var (
	ErrNoZone  = errors.New("the time has no zone")
	ErrNoUnit  = errors.New("the time is a number of an unknown unit")
	ErrGap     = errors.New("this local time does not exist: the clocks were put forward over it")
	ErrFold    = errors.New("this local time occurred twice: the clocks were put back over it")
	ErrOffset  = errors.New("the offset is beyond 14 hours")
	ErrDate    = errors.New("there is no such date or time of day")
	ErrForm    = errors.New("not a time")
	ErrOutside = errors.New("the year is outside 1678 to 2261")
)

// civil is a date and a time of day, as written.
type civil struct {
	year, month, day, hour, minute, second int
	nanos                                  int64
}

// utc is the instant of c in a zone that is offset seconds east of UTC.
func (c *civil) utc(offset int) (int64, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	seconds := calendar.Days(c.year, c.month, c.day)*86_400 + int64(c.hour*3_600+c.minute*60+c.second-offset)
	if c.second == 60 && !monthEnds(seconds) {
		return 0, ErrDate
	}
	return seconds*int64(time.Second) + c.nanos, nil
}

func (c *civil) check() error {
	switch {
	case c.month < 1, c.month > 12, c.day < 1, c.day > calendar.DaysIn(c.year, c.month),
		c.hour > 23, c.minute > 59, c.second > 60:
		return ErrDate
	case c.year < calendar.FirstYear, c.year > calendar.LastYear:
		return ErrOutside
	}
	return nil
}

// monthEnds reports whether a month begins at an instant, in seconds.
func monthEnds(seconds int64) bool {
	t := time.Unix(seconds, 0).UTC()
	return t.Day() == 1 && seconds%86_400 == 0
}

// in is the instant of c on the clocks of a place.
func (c *civil) in(zone *time.Location) (int64, error) {
	if zone == nil {
		return 0, ErrNoZone
	}
	if zone == time.UTC {
		return c.utc(0)
	}
	local, err := c.utc(0)
	if err != nil {
		return 0, err
	}
	// The offsets a day before and after are the only ones that can be meant.
	var found []int64
	for _, around := range []int64{-86_400, 86_400} {
		_, offset := time.Unix(local/int64(time.Second)+around, 0).In(zone).Zone()
		at := local - int64(offset)*int64(time.Second)
		if _, there := time.Unix(0, at).In(zone).Zone(); there == offset && (len(found) == 0 || found[0] != at) {
			found = append(found, at)
		}
	}
	switch len(found) {
	case 0:
		return 0, ErrGap
	case 1:
		return found[0], nil
	}
	return 0, ErrFold
}

// Append writes an instant as RFC 3339 in UTC: milliseconds, or nanoseconds
// where there are finer digits.
func Append(b []byte, ns int64) []byte {
	layout := "2006-01-02T15:04:05.000Z"
	if ns%int64(time.Millisecond) != 0 {
		layout = "2006-01-02T15:04:05.000000000Z"
	}
	return time.Unix(0, ns).UTC().AppendFormat(b, layout)
}
