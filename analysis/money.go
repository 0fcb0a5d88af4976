package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// ErrOverflow is the error of a sum that does not fit 64 bits.
var ErrOverflow = fmt.Errorf("sum does not fit 64 bits")

// Add adds amount minor units of currency. On ErrOverflow m is unchanged.
func (m *Money) Add(currency string, amount int64) error {
	sum, ok := add(m.sums[currency], amount)
	if !ok {
		return fmt.Errorf("add %d %s to %d: %w", amount, currency, m.sums[currency], ErrOverflow)
	}
	m.set(currency, sum)
	return nil
}

func (m *Money) set(currency string, sum int64) {
	if m.sums == nil {
		m.sums = make(map[string]int64)
	}
	m.sums[currency] = sum
}

func add(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

// AddAll adds every currency of n. On ErrOverflow m may hold part of n.
func (m *Money) AddAll(n Money) error {
	for _, c := range n.Currencies() {
		if err := m.Add(c, n.sums[c]); err != nil {
			return err
		}
	}
	return nil
}

// Sub is m - n, currency by currency; one that is missing counts as 0.
// A currency stays in the result even where the difference is 0.
func (m Money) Sub(n Money) (Money, error) {
	var d Money
	if err := d.AddAll(m); err != nil {
		return Money{}, err
	}
	for _, c := range n.Currencies() {
		a, b := d.sums[c], n.sums[c]
		if (a-b < a) != (b > 0) {
			return Money{}, fmt.Errorf("subtract %d %s from %d: %w", b, c, a, ErrOverflow)
		}
		d.set(c, a-b)
	}
	return d, nil
}

// Currencies are the currencies m holds, sorted by their bytes.
func (m Money) Currencies() []string {
	list := make([]string, 0, len(m.sums))
	for c := range m.sums {
		list = append(list, c)
	}
	slices.Sort(list)
	return list
}

// Of is the sum of one currency, 0 where m holds none of it.
func (m Money) Of(currency string) int64 { return m.sums[currency] }

// Single is the one currency of m and its sum. An empty m is 0 of currency "".
// It is not ok with several currencies, which have no common sum.
func (m Money) Single() (amount int64, currency string, ok bool) {
	switch len(m.sums) {
	case 0:
		return 0, "", true
	case 1:
		for c, sum := range m.sums {
			return sum, c, true
		}
	}
	return 0, "", false
}

// MarshalJSON is an object of integers, sorted by currency.
func (m Money) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, c := range m.Currencies() {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		b = strconv.AppendInt(b, m.sums[c], 10)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (m *Money) UnmarshalJSON(b []byte) error {
	m.sums = nil
	return json.Unmarshal(b, &m.sums)
}

// IsZero reports an empty sum, which JSON may leave out.
func (m Money) IsZero() bool { return len(m.sums) == 0 }
