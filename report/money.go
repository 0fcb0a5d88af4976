package report

import (
	"fmt"

	iso4217 "idem/analysis/ingest/money"
	"idem/analysis/printable"
)

// Exponent is the number of decimal digits of a currency's minor unit by ISO
// 4217; known is false for a currency that is not in it.
func Exponent(currency string) (digits int, known bool) {
	digits, err := iso4217.Exceptions(nil).Exponent(currency)
	return digits, err == nil
}

// Major is an amount of minor units in the currency's major unit, with thousands
// separators: 4999 USD is "49.99". known is false where the exponent is not
// known; the text is then the minor units.
func Major(minor int64, currency string) (text string, known bool) {
	exponent, known := Exponent(currency)
	if exponent == 0 {
		return printable.Digits(minor), known
	}
	sign, size, unit := "", uint64(minor), uint64(1)
	if minor < 0 {
		sign, size = "-", -size
	}
	for range exponent {
		unit *= 10
	}
	return fmt.Sprintf("%s%s.%0*d", sign, printable.Digits(int64(size/unit)), exponent, size%unit), known
}
