// Package secret takes secrets out of what is imported: credentials, cookies,
// card numbers and their check values. What is only a secret is dropped; what
// also tells things apart is replaced by a pseudonym, which keeps equal things
// equal within an import and cannot be turned back without the import's key.
//
// A pseudonym is the first 80 bits of HMAC-SHA-256 over the value. The key comes
// from the caller; unless it is a kept one, pseudonyms of two imports do not
// agree.
package secret

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Cleaner takes secrets out. It is for one goroutine.
type Cleaner struct {
	key []byte
	// Found counts what was replaced or dropped.
	Found int64
}

// NewCleaner makes a cleaner of a key, which it keeps.
func NewCleaner(key []byte) *Cleaner { return &Cleaner{key: key} }

// Pseudonym stands for value: kind, "_" and 20 hex digits.
func (c *Cleaner) Pseudonym(kind string, value []byte) string {
	mac := hmac.New(sha256.New, c.key)
	mac.Write(value)
	return kind + "_" + hex.EncodeToString(mac.Sum(nil)[:10])
}

// Text replaces card numbers in b by pseudonyms. Where there are none, b itself
// is returned; else the result is new memory.
func (c *Cleaner) Text(b []byte) []byte {
	from, to, ok := cardNumber(b, 0)
	if !ok {
		return b
	}
	var out []byte
	done := 0
	for ; ok; from, to, ok = cardNumber(b, to) {
		c.Found++
		out = append(append(out, b[done:from]...), c.Pseudonym("card", bareDigits(b[from:to]))...)
		done = to
	}
	return append(out, b[done:]...)
}

// Form takes secrets out of a form or a query, name=value&…: values of a secret's
// name, of which the last bracket counts, and card numbers anywhere.
func (c *Cleaner) Form(b []byte) []byte {
	if bytes.IndexByte(b, '=') < 0 {
		return c.Text(b)
	}
	pairs := bytes.Split(b, []byte{'&'})
	for i, pair := range pairs {
		name, value, ok := bytes.Cut(pair, []byte{'='})
		if !ok || len(value) == 0 {
			continue
		}
		if with := c.named(judge(lastName(name)), value); with != "" {
			c.Found++
			pairs[i] = append(append(bytes.Clone(name), '='), with...)
		}
	}
	return c.Text(bytes.Join(pairs, []byte{'&'}))
}

// lastName is the name in the last brackets: card[cvc] is a cvc. Brackets may be
// percent-encoded.
func lastName(name []byte) []byte {
	name = name[bytes.LastIndexByte(name, '?')+1:] // a path may stand before it
	for _, mark := range []string{"[", "%5B", "%5b"} {
		if i := bytes.LastIndex(name, []byte(mark)); i >= 0 {
			name = name[i+len(mark):]
		}
	}
	for _, mark := range []string{"]", "%5D", "%5d"} {
		name = bytes.TrimSuffix(name, []byte(mark))
	}
	return name
}

// named is what takes the place of a value behind a secret's name, "" for the
// value itself.
func (c *Cleaner) named(v verdict, value []byte) string {
	switch {
	case v == drop:
		return "[dropped]"
	case v == credential:
		return c.Pseudonym("credential", value)
	case v == card && len(bareDigits(value)) > 0:
		return c.Pseudonym("card", bareDigits(value))
	}
	return ""
}

// Client replaces a credential that tells clients apart: "Bearer x", "Basic x".
// Other texts are kept, but for card numbers in them.
func (c *Cleaner) Client(b []byte) []byte {
	scheme, rest, ok := bytes.Cut(b, []byte{' '})
	if !ok || len(rest) == 0 {
		return c.Text(b)
	}
	switch strings.ToLower(string(scheme)) {
	case "bearer", "basic", "digest", "token", "apikey", "aws4-hmac-sha256":
		c.Found++
		return []byte(c.Pseudonym("credential", bytes.TrimSpace(rest)))
	}
	return c.Text(b)
}

func bareDigits(b []byte) []byte {
	var out []byte
	for _, d := range b {
		if d-'0' <= 9 {
			out = append(out, d)
		}
	}
	return out
}
