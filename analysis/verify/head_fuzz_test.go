package verify

import (
	"errors"
	"strings"
	"testing"
)

// FuzzParseHead: a head is read only as it was written, but for its line's end.
func FuzzParseHead(f *testing.F) {
	whole := Head{N: 40}.Text()
	for _, seed := range []string{whole, strings.TrimSpace(whole), whole + "\n", "idem-chain-1 -5 00", "idem-chain-1 05 " + whole[15:], "", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ParseHead(text)
		switch {
		case err != nil && !errors.Is(err, ErrHead):
			t.Fatalf("%q: %v", text, err)
		case err == nil && strings.TrimRight(h.Text(), "\n") != strings.TrimRight(text, "\r\n"):
			t.Fatalf("%q reads as %q", text, h.Text())
		}
	})
}
