package money

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
)

//go:embed providers.txt
var providersText string

var providers = parseProviders(providersText)

func parseProviders(text string) map[string]Exceptions {
	m := map[string]Exceptions{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		exponent, err := strconv.Atoi(words[len(words)-1])
		if err != nil || len(words) != 3 {
			panic("money: providers.txt: " + line)
		}
		if m[words[0]] == nil {
			m[words[0]] = Exceptions{}
		}
		m[words[0]][words[1]] = exponent
	}
	return m
}

// Provider are the exceptions of a provider: stripe, adyen or paypal. For others
// there are none.
func Provider(name string) Exceptions { return providers[name] }

// Standard turns a number of a provider's minor units into that of ISO 4217's, so
// that amounts of several sources are comparable and are shown right. What is not
// a whole number of those is ErrFiner. A currency that ISO 4217 does not know
// keeps the provider's units.
func (x Exceptions) Standard(n int64, currency string) (int64, error) {
	to, known := exponents[currency]
	from, err := x.Exponent(currency)
	if err != nil || !known {
		return n, nil
	}
	for ; from > to; from-- {
		if n%10 != 0 {
			return 0, fmt.Errorf("%w of ISO 4217: %s", ErrFiner, currency)
		}
		n /= 10
	}
	for ; from < to; from++ {
		if n > math.MaxInt64/10 || n < math.MinInt64/10 {
			return 0, ErrOverflow
		}
		n *= 10
	}
	return n, nil
}

// Decimals is how many decimals an amount in whole units may have, with a
// provider as elsewhere: those of ISO 4217, or the provider's own for a currency
// that it does not know.
func (x Exceptions) Decimals(currency string) (int, error) {
	if e, ok := exponents[currency]; ok {
		return e, nil
	}
	return x.Exponent(currency)
}
