package replay

import (
	"fmt"
	"strconv"
	"strings"
)

// encode writes counters as the journal keeps them: the tallies and sums that
// are not zero, as "3=1 9=-2 m0 1500 KRW". Deltas are small and written for
// every step, so this is shorter and much quicker than JSON.
func (c *Counters) encode() string {
	b := make([]byte, 0, 96)
	for i, n := range c.Tally.numbers() {
		if *n == 0 {
			continue
		}
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, '=')
		b = strconv.AppendInt(b, *n, 10)
		b = append(b, ' ')
	}
	for i, m := range c.moneys() {
		for _, currency := range m.Currencies() {
			b = append(b, 'm')
			b = strconv.AppendInt(b, int64(i), 10)
			b = append(b, ' ')
			b = strconv.AppendInt(b, m.Of(currency), 10)
			b = append(b, ' ')
			b = strconv.AppendQuoteToASCII(b, currency)
			b = append(b, ' ')
		}
	}
	return string(b)
}

// decodeCounters is the inverse of encode.
func decodeCounters(text string) (c Counters, err error) {
	for text != "" && err == nil {
		var word string
		word, text, _ = strings.Cut(text, " ")
		if money, ok := strings.CutPrefix(word, "m"); ok {
			text, err = c.decodeMoney(money, text)
		} else {
			err = c.decodeNumber(word)
		}
	}
	if err != nil {
		return c, fmt.Errorf("counters in the journal: %w", err)
	}
	return c, nil
}

func (c *Counters) decodeNumber(word string) error {
	index, value, _ := strings.Cut(word, "=")
	i, err := strconv.Atoi(index)
	numbers := c.Tally.numbers()
	if err != nil || i < 0 || i >= len(numbers) {
		return fmt.Errorf("no tally %q", word)
	}
	*numbers[i], err = strconv.ParseInt(value, 10, 64)
	return err
}

func (c *Counters) decodeMoney(index, text string) (rest string, err error) {
	i, err := strconv.Atoi(index)
	moneys := c.moneys()
	if err != nil || i < 0 || i >= len(moneys) {
		return "", fmt.Errorf("no sum %q", index)
	}
	amount, rest, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(amount, 10, 64)
	if err != nil {
		return "", err
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", err
	}
	currency, err := strconv.Unquote(quoted)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(rest[len(quoted):], " "), moneys[i].Add(currency, n)
}
