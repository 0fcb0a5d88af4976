package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"idem/analysis"
	"idem/engine"
)

// encode writes v as an exported JSON file: UTF-8, two spaces of indent, a
// newline at the end, characters of HTML as they are, and every character that
// a terminal or an editor would act on instead of showing it as \u escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return escapeInvisible(b.Bytes()), nil
}

// escapeInvisible replaces what the encoder leaves: DEL, C1, bidi and other
// format characters. Such characters stand inside of strings only, where an
// escape means the same.
func escapeInvisible(b []byte) []byte {
	if bytes.IndexFunc(b, invisible) < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case !invisible(r):
			out = append(out, b[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
	}
	return out
}

func invisible(r rune) bool {
	if r < utf8.RuneSelf { // nearly all of a file: no look into the tables
		return r < ' ' && r != '\n' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

// valid is s with each byte that is no UTF-8 as \xNN. JSON has no such bytes,
// and the encoder's U+FFFD would make one key of two.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// seconds is a duration as a JSON number of seconds, exact to the nanosecond.
func seconds(d time.Duration) json.Number {
	sign := ""
	n := uint64(d)
	if d < 0 {
		sign, n = "-", -n
	}
	s := sign + strconv.FormatUint(n/1e9, 10)
	if fraction := strings.TrimRight(fmt.Sprintf("%09d", n%1e9), "0"); fraction != "" {
		s += "." + fraction
	}
	return json.Number(s)
}

// instant is a time as JSON: null when there is none.
func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := engine.FormatInstant(t)
	return &s
}

// currencies are those of all sums of a day, sorted. A day in which there is
// more than one has no totals: amounts of two currencies are never added.
func currencies(sums ...analysis.Money) []string {
	all := map[string]bool{}
	var list []string
	for _, m := range sums {
		for _, c := range m.Currencies() {
			if !all[c] {
				all[c] = true
				list = append(list, c)
			}
		}
	}
	slices.Sort(list)
	return list
}

// total is the single number of a sum on a day with these currencies, or null.
func total(m analysis.Money, currencies []string) *int64 {
	var n int64
	switch len(currencies) {
	case 0:
	case 1:
		n = m.Of(currencies[0])
	default:
		return nil
	}
	return &n
}

// byCurrency makes an object with one member a currency; encoding/json sorts it.
func byCurrency[T any](currencies []string, of func(currency string) T) map[string]T {
	m := make(map[string]T, len(currencies))
	for _, c := range currencies {
		m[valid(c)] = of(c)
	}
	return m
}
