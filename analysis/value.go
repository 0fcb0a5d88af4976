package analysis

import (
	"encoding/hex"
	"strings"

	"idem/engine/sqlitestore/sqlfile"
)

// Reasons of bad rows. They say what would have been right.
const (
	whyInteger  = "not an integer"
	whyText     = "not a text or an integer"
	whyMissing  = "missing"
	whyTime     = "not an RFC 3339 time"
	whyBody     = "not a JSON object"
	whyRepeated = "occurs more than once"
)

// integer is cell i where it is an integer or the decimal text of one, which
// is what a CSV import leaves. A REAL is never an amount: it may be rounded.
func integer(s *sqlfile.Stmt, i int) (int64, bool) {
	switch s.Type(i) {
	case sqlfile.Integer:
		return s.Int(i), true
	case sqlfile.Text:
		return parseInt(s.Bytes(i))
	}
	return 0, false
}

// parseInt reads -?[0-9]+ that fits 64 bits.
func parseInt(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	// Counting below zero reaches the least integer, which has no positive twin.
	var n int64
	const least = -1 << 63
	for _, c := range b {
		digit := int64(c) - '0'
		if digit < 0 || digit > 9 || n < least/10 || n*10 < least+digit {
			return 0, false
		}
		n = n*10 - digit
	}
	switch {
	case negative:
		return n, true
	case n == least:
		return 0, false
	}
	return -n, true
}

// text is cell i where it is a text, or an integer by its text. The bytes are
// valid until the next row. NULL is "" and absent.
func text(s *sqlfile.Stmt, i int) (b []byte, absent, ok bool) {
	switch s.Type(i) {
	case sqlfile.Text, sqlfile.Integer:
		return s.Bytes(i), false, true
	case sqlfile.Null:
		return nil, true, true
	}
	return nil, false, false
}

// textual reports whether cell i is one that text reads: neither a BLOB nor a REAL.
func textual(s *sqlfile.Stmt, i int) bool {
	t := s.Type(i)
	return t != sqlfile.Blob && t != sqlfile.Real
}

// named is cell i of a row that counts whatever stands there: its text, "" for
// NULL, and what is neither text nor integer in SQL's notation, so that nobody
// takes it for the text of the same bytes.
func named(s *sqlfile.Stmt, i int) string {
	if textual(s, i) {
		return s.String(i)
	}
	return shown(s, i)
}

// blank reports whether a key is none: empty or nothing but white space.
func blank(key string) bool { return strings.TrimSpace(key) == "" }

// mostValue is how many bytes of a bad value are kept.
const mostValue = 200

// shown is cell i for a list of bad rows, in SQL's own notation, so that NULL,
// the empty text and the text 'NULL' do not look alike.
func shown(s *sqlfile.Stmt, i int) string {
	switch s.Type(i) {
	case sqlfile.Null:
		return "NULL"
	case sqlfile.Text:
		b, rest := cut(s.Bytes(i), mostValue)
		return "'" + string(b) + "'" + rest
	case sqlfile.Blob:
		b, rest := cut(s.Bytes(i), mostValue/2)
		return "x'" + hex.EncodeToString(b) + "'" + rest
	}
	return s.String(i)
}

// cut is the beginning of b, at most n bytes and no broken character, and a
// mark where something is missing.
func cut(b []byte, n int) ([]byte, string) {
	if len(b) <= n {
		return b, ""
	}
	for n > 0 && b[n]&0xc0 == 0x80 {
		n--
	}
	return b[:n], "…"
}
