package engine

import (
	"bytes"
	"strconv"
	"strings"
)

// decimal is the exact value of a JSON number: ±0.DIGITS x 10^exp, with neither
// leading nor trailing zeros in digits. Zero has no digits. Equal values are
// equal structs.
type decimal struct {
	negative bool
	digits   string
	exp      int
	hugeExp  string // the exponent where it is too long for exp, which is 0 then
}

// maxExponent keeps what is in decimal.exp far from overflow.
const maxExponent = 1 << 40

// decimalOf reads a valid JSON number. The exponent is never expanded, so a
// hostile 1e999999999999 costs no more than its own text.
func decimalOf(raw string) decimal {
	body, negative := strings.CutPrefix(raw, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(body), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	shift := len(digits) - len(fraction)
	d := decimal{negative: negative, digits: strings.TrimRight(digits, "0")}
	switch {
	case d.digits == "":
		return decimal{}
	case exponent == "":
		d.exp = shift
		return d
	}
	exp, err := strconv.Atoi(exponent)
	if err == nil && exp <= maxExponent && exp >= -maxExponent {
		d.exp = shift + exp
		return d
	}
	d.hugeExp = addSmall(exponent, shift)
	return d
}

// addSmall adds n to an exponent beyond maxExponent, which n cannot reach: it
// counts digits of the text. It goes digit by digit because a big.Int takes
// seconds to read and write a megabyte of them.
func addSmall(exponent string, n int) string {
	magnitude, negative := strings.CutPrefix(strings.TrimPrefix(exponent, "+"), "-")
	sign := ""
	if negative {
		sign, n = "-", -n
	}
	digits := []byte("0" + magnitude) // room for a carry
	for i := len(digits) - 1; n != 0; i-- {
		n += int(digits[i] - '0')
		last := (n%10 + 10) % 10
		digits[i] = byte('0' + last)
		n = (n - last) / 10
	}
	return sign + string(bytes.TrimLeft(digits, "0"))
}

// maxPlain is how many digits an integer may have to be written out in full.
const maxPlain = 400

// String writes the value as a JSON number: a plain integer where it is one of
// reasonable length, else as a fraction with an exponent, which RFC 8785 never
// writes.
func (d decimal) String() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch {
	case d.digits == "":
		return "0"
	case d.hugeExp != "":
		return sign + "0." + d.digits + "e" + d.hugeExp
	case d.exp >= len(d.digits) && d.exp <= maxPlain:
		return sign + d.digits + strings.Repeat("0", d.exp-len(d.digits))
	}
	return sign + "0." + d.digits + "e" + strconv.Itoa(d.exp)
}

// plain writes the value without an exponent where that has a reasonable length,
// else as String does.
func (d decimal) plain() string {
	point := len(d.digits) - d.exp // digits behind it
	if d.hugeExp != "" || point <= 0 || point > maxPlain {
		return d.String()
	}
	digits := strings.Repeat("0", max(0, 1-d.exp)) + d.digits
	at := len(digits) - point
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + digits[:at] + "." + digits[at:]
}

// int64 gives the value as an integer; ok is false when it is none or does not
// fit 64 bits.
func (d decimal) int64() (v int64, ok bool) {
	if d.digits == "" {
		return 0, true
	}
	if d.hugeExp != "" || d.exp < len(d.digits) || d.exp > 19 {
		return 0, false
	}
	v, err := strconv.ParseInt(d.String(), 10, 64)
	return v, err == nil
}
