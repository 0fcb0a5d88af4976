package money

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// iso4217 lists the currencies whose exponent is not 2, and those with 2.
// Source: ISO 4217 list one, as SIX publishes it.
//
//go:embed iso4217.txt
var iso4217 string

var exponents = parseExponents(iso4217)

// parseExponents reads lines of an exponent and the codes that have it.
func parseExponents(text string) map[string]int {
	m := map[string]int{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		exponent, err := strconv.Atoi(words[0])
		if err != nil {
			panic("money: iso4217.txt: " + line)
		}
		for _, code := range words[1:] {
			m[code] = exponent
		}
	}
	return m
}

// Exceptions are exponents of a provider's own, by currency; they come before
// those of ISO 4217. The key "*" stands for every currency.
type Exceptions map[string]int

// Exponent is how many decimals a currency has with a provider.
func (x Exceptions) Exponent(currency string) (int, error) {
	if e, ok := x[currency]; ok {
		return e, nil
	}
	if e, ok := x["*"]; ok {
		return e, nil
	}
	if e, ok := exponents[currency]; ok {
		return e, nil
	}
	return 0, fmt.Errorf("%w: %.20q", ErrCurrency, currency)
}

// Code is a currency code in upper case where it is one of three letters, as
// ISO 4217 writes them; others are kept as they stand.
func Code(b []byte) []byte {
	if len(b) != 3 {
		return b
	}
	for _, c := range b {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return b
		}
	}
	if b[0] <= 'Z' && b[1] <= 'Z' && b[2] <= 'Z' {
		return b
	}
	return []byte{b[0] &^ 0x20, b[1] &^ 0x20, b[2] &^ 0x20}
}
