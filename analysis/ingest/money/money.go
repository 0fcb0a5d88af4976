// Package money reads amounts from text, exactly: minor units are integers,
// major units are decimals that are shifted by the currency's exponent, digit by
// digit. No float is ever made. What could be read in two ways is an error.
package money

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// Errors of an amount.
var (
	ErrForm     = errors.New("not an amount")
	ErrOverflow = errors.New("the amount does not fit 64 bits")
	ErrFiner    = errors.New("the amount is finer than the currency's smallest unit")
	ErrMark     = errors.New("the amount has a comma or a thousands mark, which could be read in two ways")
	ErrCurrency = errors.New("the currency's number of decimals is unknown")
)

// Notation is how numbers are written.
type Notation struct {
	// Decimal is the mark before the decimals: '.', ',' or 0 for not stated.
	// Where it is stated the other one, a blank or an apostrophe may part
	// thousands; where it is not, a comma or a second point is ErrMark.
	Decimal byte
}

// Minor reads an integer number of minor units.
func Minor(b []byte, n Notation) (int64, error) { return n.read(b, 0) }

// Major reads a decimal number of whole units of a currency with that many
// decimals, as minor units. Zeros beyond the exponent are fine, other digits
// are not.
func Major(b []byte, exponent int, n Notation) (int64, error) { return n.read(b, exponent) }

func (n Notation) read(b []byte, exponent int) (int64, error) {
	b = bytes.TrimSpace(b)
	negative := false
	switch {
	case len(b) == 0:
		return 0, ErrForm
	case b[0] == '-':
		negative, b = true, b[1:]
	case b[0] == '+':
		b = b[1:]
	}
	whole, fraction, err := n.split(b)
	if err != nil {
		return 0, err
	}
	v, err := shifted(whole, fraction, exponent)
	if err != nil || !negative {
		return positive(v), err
	}
	return v, nil
}

// positive turns the negative count of shifted into the amount.
func positive(v int64) int64 {
	if v == math.MinInt64 {
		return v
	}
	return -v
}

// split parts the digits before the decimal mark from those behind it.
func (n Notation) split(b []byte) (whole, fraction []byte, err error) {
	mark := n.Decimal
	if mark == 0 {
		mark = '.'
	}
	i := bytes.IndexByte(b, mark)
	if i >= 0 {
		whole, fraction = b[:i], b[i+1:]
	} else {
		whole = b
	}
	if whole, err = n.ungroup(whole); err != nil {
		return nil, nil, err
	}
	if !digits(whole) || !digits(fraction) || len(whole)+len(fraction) == 0 {
		return nil, nil, n.malformed(b)
	}
	return whole, fraction, nil
}

func (n Notation) malformed(b []byte) error {
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != ',' && c != ' ' && c != '\'' {
			return fmt.Errorf("%w: %.40q", ErrForm, b)
		}
	}
	return fmt.Errorf("%w: %.40q", ErrMark, b)
}

// ungroup drops the marks between groups of three digits.
func (n Notation) ungroup(b []byte) ([]byte, error) {
	if digits(b) || n.Decimal == 0 {
		return b, nil
	}
	groups := bytes.FieldsFunc(b, func(r rune) bool {
		return r == '.' || r == ',' || r == ' ' || r == '\'' || r == '\u00a0' || r == '\u202f'
	})
	for i, g := range groups {
		if !digits(g) || i > 0 && len(g) != 3 || i == 0 && len(g) > 3 {
			return nil, fmt.Errorf("%w: %.40q", ErrForm, b)
		}
	}
	return bytes.Join(groups, nil), nil
}

// shifted is -(whole.fraction x 10^exponent). Counting below zero reaches the
// least integer, which has no positive twin.
func shifted(whole, fraction []byte, exponent int) (v int64, err error) {
	for i := range len(whole) + exponent {
		digit := byte('0')
		if i < len(whole) {
			digit = whole[i]
		} else if i-len(whole) < len(fraction) {
			digit = fraction[i-len(whole)]
		}
		d := int64(digit - '0')
		if v < (math.MinInt64+d)/10 {
			return 0, ErrOverflow
		}
		v = v*10 - d
	}
	if v == math.MinInt64 {
		return 0, ErrOverflow
	}
	if len(fraction) > exponent && len(bytes.Trim(fraction[exponent:], "0")) > 0 {
		return 0, ErrFiner
	}
	return v, nil
}

func digits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}
