package ingest

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"idem/analysis/ingest/moment"
	"idem/analysis/ingest/money"
)

// rules are the settings of a mapping, ready to read values with.
type rules struct {
	time      moment.Reader
	duration  time.Duration // unit; 0 is not settled
	atEnd     bool
	edge      bool // it is settled whether times are starts or ends
	minor     bool
	major     bool
	notation  money.Notation
	exponents money.Exceptions
	currency  []byte
}

// Rules prepares the settings of a mapping.
func (m *Mapping) rules() (*rules, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	r := &rules{exponents: m.Exponents, currency: []byte(m.Currency)}
	r.time.Layout = m.TimeLayout
	r.atEnd, r.edge = m.TimeIs == "end", m.TimeIs != ""
	r.minor, r.major = m.AmountUnit == "minor", m.AmountUnit == "major"
	switch m.Decimal {
	case "point":
		r.notation.Decimal = '.'
	case "comma":
		r.notation.Decimal = ','
	}
	var err error
	if m.Zone != "" {
		if r.time.Zone, err = moment.Zone(m.Zone); err != nil {
			return nil, err
		}
	}
	if m.TimeUnit != "" {
		if r.time.Unit, err = moment.Unit(m.TimeUnit); err != nil {
			return nil, err
		}
	}
	if m.DurationUnit != "" {
		r.duration, err = moment.Unit(m.DurationUnit)
	}
	return r, err
}

// span reads a duration in nanoseconds. A dash is how logs write that there is
// none; a negative one is a clock that was set back, and unknown.
func (r *rules) span(b []byte) (int64, error) {
	if len(b) == 1 && b[0] == '-' {
		return -1, nil
	}
	if r.duration == 0 {
		return -1, unsettled("--duration-unit", "the unit of the duration %.20q is not known", b)
	}
	ns, err := moment.Span(b, r.duration)
	if err != nil {
		return -1, err
	}
	return max(ns, -1), nil
}

// amount reads an amount in minor units of ISO 4217.
func (r *rules) amount(b, currency []byte) (int64, error) {
	var n int64
	var err error
	if len(currency) == 0 {
		currency = r.currency
	}
	switch {
	case r.minor:
		if n, err = money.Minor(b, r.notation); err == nil && len(r.exponents) > 0 {
			n, err = r.exponents.Standard(n, string(currency))
		}
	case r.major:
		var exponent int
		if exponent, err = r.exponents.Decimals(string(currency)); err != nil {
			return 0, err
		}
		n, err = money.Major(b, exponent, r.notation)
	default:
		return 0, unsettled("--amount-unit", "the amount %.20q could be minor or major units", b)
	}
	if errors.Is(err, money.ErrMark) {
		return 0, unsettled("--decimal", "the amount %.20q could be read in two ways", b)
	}
	return n, err
}

// settle names the flag that helps, where a value could be read in two ways.
func settle(field string, err error) error {
	var u *Unsettled
	switch {
	case err == nil:
		return nil
	case errors.As(err, &u):
		return err
	case errors.Is(err, moment.ErrNoZone):
		return unsettled("--zone", "%v", err)
	case errors.Is(err, moment.ErrNoUnit):
		return unsettled("--time-unit", "%v", err)
	}
	return fmt.Errorf("%s: %w", field, err)
}

// count reads a small number; a dash or nothing is 0.
func count(b []byte) (int64, error) {
	if len(b) == 0 || len(b) == 1 && b[0] == '-' {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is no number", b)
	}
	return n, nil
}
