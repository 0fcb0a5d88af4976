package httpidem

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However a path is spelled, it is one endpoint; two paths are two.
func TestEndpointHasOneSpelling(t *testing.T) {
	parse := func(t *rapid.T, path string) string {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			t.Fatal(err)
		}
		return endpoint(&http.Request{Method: "POST", URL: u})
	}
	// spell writes a path, each byte as it is or escaped.
	spell := func(t *rapid.T, path []byte) string {
		b := []byte("/")
		for _, c := range path {
			plain := strings.IndexByte("%?#", c) < 0 && c > ' ' && c < 0x7f
			if plain && rapid.Bool().Draw(t, "plain") {
				b = append(b, c)
			} else {
				b = fmt.Appendf(b, "%%%02X", c)
			}
		}
		return string(b)
	}
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfN(rapid.Byte(), 0, 12)
		a, b := paths.Draw(t, "path"), paths.Draw(t, "other path")
		first, again, other := parse(t, spell(t, a)), parse(t, spell(t, a)), parse(t, spell(t, b))
		if first != again {
			t.Fatalf("%q is %q and %q", a, first, again)
		}
		if bytes.Equal(a, b) != (first == other) {
			t.Fatalf("%q is %q, %q is %q", a, first, b, other)
		}
		if !visible(first[len("POST "):]) {
			t.Fatalf("%q would break a line of a log", first)
		}
	})
}
