package httpidem

import (
	"net/http"
	"strings"
)

// MaxKey is the longest key, in bytes, without the quotes and escapes of its
// quoted form.
const MaxKey = 255

const keyHeader = "Idempotency-Key"

// keyOf reads the key of a request. Header.Get would hide a second line.
func keyOf(h http.Header) (string, *Problem) {
	switch lines := h[keyHeader]; len(lines) {
	case 0:
		return "", &keyMissing
	case 1:
		return parseKey(strings.Trim(lines[0], " \t"))
	default:
		return "", &keyRepeated
	}
}

// parseKey reads a key as a structured-field string (RFC 9651, section 3.3.3),
// or bare. `"abc"` and `abc` are one key.
func parseKey(text string) (string, *Problem) {
	// Every byte of a quoted key may be escaped. What is longer than that is
	// refused without a look at it.
	if len(text) > 2*MaxKey+2 {
		return "", &keyTooLong
	}
	key := text
	if strings.HasPrefix(text, `"`) {
		var ok bool
		if key, ok = unquote(text); !ok {
			return "", &keyMalformed
		}
	}
	switch {
	case strings.Trim(key, " ") == "":
		return "", &keyEmpty
	case len(key) > MaxKey:
		return "", &keyTooLong
	case !visible(key):
		return "", &keyMalformed
	}
	return key, nil
}

// unquote takes the quotes and escapes from a structured-field string. Nothing
// may follow the closing quote, parameters neither.
func unquote(text string) (string, bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), i == len(text)-1
		case '\\':
			i++
			if i == len(text) || (text[i] != '"' && text[i] != '\\') {
				return "", false
			}
		}
		b.WriteByte(text[i])
	}
	return "", false
}

// visible reports whether text is visible ASCII alone.
func visible(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
