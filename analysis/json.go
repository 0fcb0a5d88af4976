package analysis

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// isObject reports whether b is one JSON object and nothing else: valid UTF-8,
// and no member named twice, at any depth.
func isObject(b []byte) bool {
	if flatObject(b) {
		return true
	}
	v := jsontext.Value(b)
	return v.Kind() == '{' && v.IsValid()
}

// mostNames is how many members flatObject compares with each other.
const mostNames = 8

// flatObject recognises what nearly every payment is, in a third of the time:
// a few members whose values are plain strings or integers. Of anything else
// it says false, right or wrong.
func flatObject(b []byte) bool {
	var names [mostNames][]byte
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	i := space(b, 1)
	for n := range names {
		name, after := plainString(b, i)
		if after < 0 {
			return false
		}
		for _, other := range names[:n] {
			if bytes.Equal(name, other) {
				return false
			}
		}
		names[n] = name
		if i = space(b, after); i >= len(b) || b[i] != ':' {
			return false
		}
		if i = space(b, plainValue(b, space(b, i+1))); i >= len(b) {
			return false
		}
		if b[i] == '}' {
			return space(b, i+1) == len(b)
		}
		if b[i] != ',' {
			return false
		}
		i = space(b, i+1)
	}
	return false
}

// space is where white space from i on ends.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// plainString reads a string of ASCII without escapes at i; after is -1 where
// there is none.
func plainString(b []byte, i int) (s []byte, after int) {
	if i >= len(b) || b[i] != '"' {
		return nil, -1
	}
	for j := i + 1; j < len(b); j++ {
		switch c := b[j]; {
		case c == '"':
			return b[i+1 : j], j + 1
		case c == '\\' || c < ' ' || c >= 0x80:
			return nil, -1
		}
	}
	return nil, -1
}

// plainValue reads a plain string or a positive integer at i and gives where
// it ends, len(b) where there is neither.
func plainValue(b []byte, i int) int {
	if _, after := plainString(b, i); after >= 0 {
		return after
	}
	if i >= len(b) || b[i] < '1' || b[i] > '9' {
		return len(b)
	}
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}
