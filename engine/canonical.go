package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrAmbiguous: a text that two readers could read differently is no JSON here:
// duplicate member names at any depth, invalid UTF-8, lone surrogates, data
// after the value.
var ErrAmbiguous = errors.New("not unambiguous JSON")

// Canonical gives the canonical form of a JSON text: RFC 8785 (member order,
// white space, escapes, 1000 and 1000.0 do not matter), except that numbers
// which a double cannot hold keep their exact value. RFC 8785 alone would make
// 9007199254740992 and 9007199254740993 one request. A number that has no other
// spelling of equal value in RFC 8785 is written by [exactNumber]; as equal
// texts denote equal numbers in either form, the two never meet by accident.
//
// The result is new memory. Errors wrap [ErrAmbiguous].
func Canonical(text []byte) ([]byte, error) {
	exact, err := exactNumbers(text)
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(exact)
	err = v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAmbiguous, err)
	}
	return v, nil
}

// exactNumbers validates the text strictly and rewrites its numbers, so that
// what follows can leave them alone. The result never shares text's memory.
func exactNumbers(text []byte) ([]byte, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	out := make([]byte, 0, len(text)+16)
	copied := 0
	for {
		tok, err := dec.ReadToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAmbiguous, err)
		}
		if tok.Kind() == '0' {
			end := int(dec.InputOffset())
			raw := tok.String()
			out = append(out, text[copied:end-len(raw)]...)
			out = append(out, canonicalNumber(raw)...)
			copied = end
		}
		if dec.StackDepth() == 0 {
			if err := onlySpaceFollows(text[dec.InputOffset():]); err != nil {
				return nil, err
			}
			return append(out, text[copied:]...), nil
		}
	}
	return nil, fmt.Errorf("%w: empty text", ErrAmbiguous)
}

func onlySpaceFollows(rest []byte) error {
	if len(bytes.Trim(rest, " \t\r\n")) > 0 {
		return fmt.Errorf("%w: data after the value", ErrAmbiguous)
	}
	return nil
}

// canonicalNumber is the RFC 8785 text of a JSON number where that has the same
// value, and its exact decimal otherwise.
func canonicalNumber(raw string) string {
	if isShortInteger(raw) {
		return raw
	}
	v := jsontext.Value(raw)
	if err := v.Canonicalize(); err == nil {
		if rfc := string(v); decimalOf(rfc) == decimalOf(raw) {
			return rfc
		}
	}
	return decimalOf(raw).String()
}

// isShortInteger: up to 15 digits, which a double holds and RFC 8785 writes as is.
func isShortInteger(raw string) bool {
	digits := strings.TrimPrefix(raw, "-")
	if len(digits) > 15 || raw == "-0" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}
