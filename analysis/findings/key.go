package findings

import (
	"bytes"
)

// keyHeaders are the names of headers that carry a key, lower case, where a log
// holds the whole header line.
var keyHeaders = [...]string{"idempotency-key:", "x-idempotency-key:"}

// placeholders are what clients send that meant to send a key and had none. As
// keys they would make one payment of all the day's.
var placeholders = map[string]bool{
	"null": true, "nil": true, "none": true, "undefined": true, "nan": true, "n/a": true, "-": true, "[object object]": true,
}

const (
	longestPlaceholder = len("[object object]")
	emptyUUID          = "00000000-0000-0000-0000-000000000000" // RFC 9562, section 5.9
)

// normalKey is the key that a person reads in a raw one: without the name of
// its header, without blanks and the quotes of a structured field (RFC 9651)
// around it, and, of a UUID, in lower case (RFC 9562, section 4). A key that
// says nothing is none. The result is part of raw, or of buf.
func normalKey(raw []byte, buf *[]byte) []byte {
	key := bytes.TrimSpace(raw)
	for _, name := range keyHeaders {
		if len(key) > len(name) && bytes.EqualFold(key[:len(name)], []byte(name)) {
			key = bytes.TrimSpace(key[len(name):])
		}
	}
	if n := len(key); n >= 2 && key[0] == '"' && key[n-1] == '"' && bytes.IndexByte(key[1:n-1], '"') < 0 {
		key = bytes.TrimSpace(key[1 : n-1])
	}
	switch {
	case len(key) <= longestPlaceholder && placeholders[string(bytes.ToLower(key))], string(key) == emptyUUID:
		return nil
	case isUUID(key):
		*buf = append((*buf)[:0], key...)
		for i, c := range *buf {
			if c >= 'A' && c <= 'F' {
				(*buf)[i] = c | 0x20
			}
		}
		return *buf
	}
	return key
}

// isUUID reports the form 8-4-4-4-12 of hexadecimal digits.
func isUUID(key []byte) bool {
	if len(key) != 36 || key[8] != '-' || key[13] != '-' || key[18] != '-' || key[23] != '-' {
		return false
	}
	for _, c := range key {
		switch {
		case c == '-', c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// NormalKey is a raw key as findings compare it; "" is no key.
func NormalKey(raw string) string {
	var buf []byte
	return string(normalKey([]byte(raw), &buf))
}
