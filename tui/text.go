package tui

import (
	"fmt"
	"strings"
	"time"

	"idem/analysis"
	"idem/analysis/printable"
	"idem/report"
)

// show makes a text from data fit to be drawn in at most w cells of one line. A
// long one is told by its size where it is cut.
func show(s string, w int) string {
	const long = 1000
	switch {
	case w <= 0:
		return ""
	case len(s) > long:
		return printable.Sized(s, w)
	}
	return printable.Text(s, w)
}

// visible is show without a limit, for texts that a person typed.
func visible(s string) string { return show(s, 1<<16) }

// short shows an id by its beginning and its end in at most w cells, since ids
// that differ often do so there.
func short(s string, w int) string {
	const tail = 4
	if w < 2*tail || len(s) > 256 {
		return show(s, w)
	}
	return printable.Ends(s, w, tail)
}

// number is n with thousands separated by commas.
func number(n int64) string { return printable.Digits(n) }

// money is an amount with its currency: in its major unit where the number of
// decimals is known, else in minor units.
func money(amount int64, currency string) string {
	figures, _ := report.Major(amount, currency)
	switch currency {
	case "":
		return figures
	case "KRW":
		return "₩ " + figures
	}
	return show(currency, 8) + " " + figures
}

// sums is every currency of m, side by side; "0" for none.
func sums(m analysis.Money) string {
	var parts []string
	for _, c := range m.Currencies() {
		parts = append(parts, money(m.Of(c), c))
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " · ")
}

// nonzero reports whether m holds any money.
func nonzero(m analysis.Money) bool {
	for _, c := range m.Currencies() {
		if m.Of(c) != 0 {
			return true
		}
	}
	return false
}

// emptyLog is what there is to say of a day without requests.
const emptyLog = "the log is empty: no request was received"

// many is n of something, with the word in the right number.
func many(n int64, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + several
}

// clock is an instant's time of day; stamp has its date and milliseconds too.
func clock(t time.Time) string { return timeText(t, "15:04:05") }

func stamp(t time.Time) string { return timeText(t, "2006-01-02 15:04:05.000") }

func timeText(t time.Time, layout string) string {
	if t.IsZero() {
		return "no time"
	}
	return t.UTC().Format(layout)
}

// lag is a span between two sends, short: +4.2 s, +12 m 30 s, +3 h 05 m.
func lag(d time.Duration) string {
	sign := "+"
	if d < 0 {
		sign, d = "-", -d
	}
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%s%d.%d s", sign, d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < time.Hour:
		return fmt.Sprintf("%s%d m %02d s", sign, d/time.Minute, d%time.Minute/time.Second)
	case d < 100*time.Hour:
		return fmt.Sprintf("%s%d h %02d m", sign, d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%s%d d %02d h", sign, d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}
