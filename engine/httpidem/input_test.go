package httpidem

import (
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
	// spell writes segments, each byte as it is or escaped.
	spell := func(t *rapid.T, segments []string) string {
		var b strings.Builder
		for _, segment := range segments {
			b.WriteByte('/')
			for _, c := range []byte(segment) {
				plain := strings.IndexByte("/%?# \x7f", c) < 0 && c > ' ' && c < 0x7f
				if plain && rapid.Bool().Draw(t, "plain") {
					b.WriteByte(c)
				} else {
					fmt.Fprintf(&b, "%%%02X", c)
				}
			}
		}
		return b.String()
	}
	segments := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 6), 1, 4)
	text := func(t *rapid.T) (list []string) {
		for _, s := range segments.Draw(t, "segments") {
			list = append(list, string(s))
		}
		return list
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := text(t), text(t)
		first, again, other := parse(t, spell(t, a)), parse(t, spell(t, a)), parse(t, spell(t, b))
		if first != again {
			t.Fatalf("%q is %q and %q", a, first, again)
		}
		if same := fmt.Sprintf("%q", a) == fmt.Sprintf("%q", b); same != (first == other) {
			t.Fatalf("%q is %q, %q is %q", a, first, b, other)
		}
		if strings.ContainsFunc(first[len("POST "):], func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Fatalf("%q would break a line of a log", first)
		}
	})
}
