package query

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Exact is a query of which each field is met by one value, and a time by one
// span, whatever the day. Empty fields and zero times are open.
type Exact struct {
	Client, Endpoint, Account string
	From, To                  time.Time
}

// ParseExact reads a query whose words are such fields: the same grammar without
// text, amounts and -. A time of no date is of day, unless that is zero.
func ParseExact(text string, day time.Time) (Exact, error) {
	var x Exact
	for _, w := range words(text) {
		if err := x.take(w, day); err != nil {
			return Exact{}, err
		}
	}
	if !x.From.IsZero() && !x.To.IsZero() && !x.From.Before(x.To) {
		return Exact{}, errors.New("nothing lies between these times")
	}
	return x, nil
}

func (x *Exact) take(w word, day time.Time) error {
	if w.not || w.quoted {
		return fmt.Errorf("%s cannot be asked here: client: endpoint: acct: 09:00..10:30", clip(w.text))
	}
	name, value, _ := strings.Cut(w.text, ":")
	for _, f := range []struct {
		name string
		into *string
	}{{"client", &x.Client}, {"endpoint", &x.Endpoint}, {"acct", &x.Account}} {
		if f.name == strings.ToLower(name) {
			if *f.into != "" && *f.into != value {
				return fmt.Errorf("two values of %s", f.name)
			}
			*f.into = value
			return nil
		}
	}
	if looksLikeTime(w.text) { // a field's value may look like one, too
		return x.span(w.text, day)
	}
	return fmt.Errorf("%s cannot be asked here: client: endpoint: acct: 09:00..10:30", clip(w.text))
}

func (x *Exact) span(text string, day time.Time) error {
	if !x.From.IsZero() || !x.To.IsZero() {
		return errors.New("two spans of time")
	}
	from, to, ranged := strings.Cut(text, "..")
	for _, end := range []struct {
		text string
		into *time.Time
	}{{from, &x.From}, {to, &x.To}} {
		if end.text == "" {
			continue
		}
		m, ok := readMoment(end.text)
		switch {
		case !ok:
			return fmt.Errorf("%s: not a time such as 09:00..10:30 or 2026-03-10T09:00..", clip(text))
		case m.daily && day.IsZero():
			return fmt.Errorf("%s: of which date? 2026-03-10T%s", clip(text), clip(end.text))
		case m.daily:
			y, month, d := day.UTC().Date()
			m.at = m.at.AddDate(y, int(month)-1, d-1)
		}
		if *end.into = m.at; !ranged {
			x.To = m.at.Add(m.unit)
		}
	}
	return nil
}

// Text is the query that gives x, to the millisecond.
func (x Exact) Text() string {
	var list []string
	for _, f := range []struct{ name, value string }{{"client", x.Client}, {"endpoint", x.Endpoint}, {"acct", x.Account}} {
		switch {
		case strings.ContainsAny(f.value, " \t"):
			list = append(list, f.name+`:"`+f.value+`"`)
		case f.value != "":
			list = append(list, f.name+":"+f.value)
		}
	}
	if from, to := exactTime(x.From), exactTime(x.To); from+to != "" {
		list = append(list, from+".."+to)
	}
	return strings.Join(list, " ")
}

func exactTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}
