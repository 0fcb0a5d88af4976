package query

import (
	"fmt"
	"math"
	"strings"
)

// scale is how many decimals an amount in a query may have; no currency has more.
const scale = 4

// amount is a comparison such as >=10.50. It holds when any of a row's sums does.
func amount(text string) (term, error) {
	value := strings.TrimLeft(text, "<>=")
	op := text[:len(text)-len(value)]
	if value == "" || value == "-" {
		return term{uses: Amount}, nil
	}
	compare := map[string]func(a, b int64) bool{
		">": func(a, b int64) bool { return a > b }, ">=": func(a, b int64) bool { return a >= b },
		"<": func(a, b int64) bool { return a < b }, "<=": func(a, b int64) bool { return a <= b },
		"=": func(a, b int64) bool { return a == b },
	}[op]
	want, err := scaled(value)
	if err != nil || compare == nil {
		return term{}, fmt.Errorf("amount%s: not a number such as 1,000 or 10.50", clip(text))
	}
	return term{uses: Amount, holds: func(r *Row) bool {
		for _, s := range r.Sums {
			if compare(s.scaled(), want) {
				return true
			}
		}
		return false
	}}, nil
}

// scaled reads a decimal number in units of 10^-scale.
func scaled(text string) (int64, error) {
	text = strings.ReplaceAll(text, ",", "")
	negative := strings.HasPrefix(text, "-")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if len(fraction) > scale || whole+fraction == "" {
		return 0, fmt.Errorf("no such amount")
	}
	var n int64
	for _, c := range whole + fraction + strings.Repeat("0", scale-len(fraction)) {
		if c < '0' || c > '9' || n > (math.MaxInt64-9)/10 {
			return 0, fmt.Errorf("no such amount")
		}
		n = 10*n + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, nil
}

// scaled is the sum in the same units; what is too large for them stays beyond
// every amount that can be asked for.
func (s Sum) scaled() int64 {
	n := s.Minor
	for range max(0, scale-s.Decimals) {
		switch {
		case n > math.MaxInt64/10:
			return math.MaxInt64
		case n < math.MinInt64/10:
			return math.MinInt64
		}
		n *= 10
	}
	return n
}
