package query

import (
	"fmt"
	"strings"
	"time"
)

// looksLikeTime reports whether a word can only be meant as a time: it begins
// with a digit and holds a colon, or has two dots between times.
func looksLikeTime(text string) bool {
	if from, to, ok := strings.Cut(text, ".."); ok {
		return digit(from) || digit(to)
	}
	return digit(text) && strings.Contains(text, ":")
}

func digit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// moment is a time of any day, or of one.
type moment struct {
	at    time.Time     // of year 0 for a time of any day
	unit  time.Duration // of its last figure
	daily bool
}

var layouts = []struct {
	layout string
	unit   time.Duration
	daily  bool
}{
	{"15:04", time.Minute, true}, {"15:04:05", time.Second, true},
	{"2006-01-02T15:04", time.Minute, false}, {"2006-01-02T15:04:05", time.Second, false}, {"2006-01-02", 24 * time.Hour, false},
}

func readMoment(text string) (moment, bool) {
	for _, l := range layouts {
		if t, err := time.Parse(l.layout, strings.ToUpper(text)); err == nil {
			return moment{t, l.unit, l.daily}, true
		}
	}
	return moment{}, false
}

// of is an instant as this moment compares it.
func (m moment) of(t time.Time) time.Time {
	if !m.daily {
		return t
	}
	t = t.UTC()
	return time.Date(0, 1, 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// span is a range of times, each end of which may be missing, or one time.
func span(text string) (term, error) {
	from, to, ranged := strings.Cut(text, "..")
	var lower, upper moment
	ok1, ok2 := from == "", to == ""
	if from != "" {
		lower, ok1 = readMoment(from)
	}
	switch {
	case to != "":
		upper, ok2 = readMoment(to)
	case !ranged && ok1:
		upper = lower
		upper.at = lower.at.Add(lower.unit)
	}
	if !ok1 || !ok2 {
		return term{}, fmt.Errorf("%s: not a time such as 09:00..10:30 or 2026-03-10T09:00..", clip(text))
	}
	return term{uses: Time, holds: func(r *Row) bool {
		if r.From.IsZero() && r.To.IsZero() {
			return false
		}
		return (lower.unit == 0 || !lower.of(r.To).Before(lower.at)) && (upper.unit == 0 || upper.of(r.From).Before(upper.at))
	}}, nil
}
