package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ErrOverflow is the error of a sum that does not fit 64 bits.
var ErrOverflow = errors.New("sum does not fit 64 bits")

// Money is a checked sum of integer minor units, kept apart by currency.
// The zero value is an empty sum. Amounts of several currencies are never
// added to each other. A copy is independent of the original.
type Money struct {
	// Nearly every sum has one currency, and a day has a sum for each of its
	// groups: the first currency is kept without an allocation.
	first sum
	used  bool  // first is one
	more  []sum // the others; replaced, never written, as copies share it
}

type sum struct {
	currency string
	amount   int64
}

// Add adds amount minor units of currency. The error is a [*SumError], an
// ErrOverflow; m is then unchanged.
func (m *Money) Add(currency string, amount int64) error {
	old := m.Of(currency)
	total := old + amount
	if (total > old) != (amount > 0) {
		return &SumError{Sum: old, Amount: amount, Currency: currency}
	}
	m.set(currency, total)
	return nil
}

// AddAll adds every currency of n. On ErrOverflow m may hold part of n.
func (m *Money) AddAll(n Money) error {
	for _, s := range n.all() {
		if err := m.Add(s.currency, s.amount); err != nil {
			return err
		}
	}
	return nil
}

// Sub is m - n, currency by currency; one that is missing counts as 0.
// A currency stays in the result even where the difference is 0.
func (m Money) Sub(n Money) (Money, error) {
	for _, s := range n.all() {
		old := m.Of(s.currency)
		total := old - s.amount
		if (total < old) != (s.amount > 0) {
			return Money{}, fmt.Errorf("subtract %d from %d %s: %w", s.amount, old, s.currency, ErrOverflow)
		}
		m.set(s.currency, total)
	}
	return m, nil
}

func (m *Money) set(currency string, amount int64) {
	if !m.used || m.first.currency == currency {
		m.first, m.used = sum{currency, amount}, true
		return
	}
	i := m.index(currency)
	m.more = slices.Clone(m.more)
	if i < 0 {
		m.more = append(m.more, sum{currency, amount})
	} else {
		m.more[i].amount = amount
	}
}

func (m *Money) index(currency string) int {
	return slices.IndexFunc(m.more, func(s sum) bool { return s.currency == currency })
}

// all are the sums, sorted by currency.
func (m Money) all() []sum {
	if !m.used {
		return nil
	}
	list := append([]sum{m.first}, m.more...)
	slices.SortFunc(list, func(a, b sum) int { return strings.Compare(a.currency, b.currency) })
	return list
}

// Currencies are the currencies m holds, sorted by their bytes.
func (m Money) Currencies() []string {
	var list []string
	for _, s := range m.all() {
		list = append(list, s.currency)
	}
	return list
}

// Of is the sum of one currency, 0 where m holds none of it.
func (m Money) Of(currency string) int64 {
	if m.used && m.first.currency == currency {
		return m.first.amount
	}
	if i := m.index(currency); i >= 0 {
		return m.more[i].amount
	}
	return 0
}

// Single is the one currency of m and its sum. An empty m is 0 of currency "".
// It is not ok with several currencies, which have no common sum.
func (m Money) Single() (amount int64, currency string, ok bool) {
	if len(m.more) > 0 {
		return 0, "", false
	}
	return m.first.amount, m.first.currency, true
}

// MarshalJSON is an object of integers, sorted by currency.
func (m Money) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, s := range m.all() {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(s.currency)
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		b = strconv.AppendInt(b, s.amount, 10)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (m *Money) UnmarshalJSON(b []byte) error {
	var sums map[string]int64
	if err := json.Unmarshal(b, &sums); err != nil {
		return err
	}
	*m = Money{}
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		m.set(currency, sums[currency])
	}
	return nil
}

// IsZero reports an empty sum, which JSON may leave out.
func (m Money) IsZero() bool { return !m.used }
