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
