package pgstore

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"idem/engine"
)

// TestStoredText: every text comes back, TEXT can hold what is stored, different
// texts stay different, and ordinary ones stand as they are.
func TestStoredText(t *testing.T) {
	for text, want := range map[string]string{
		"order-1001": "order-1001", "가 😀": "가 😀", "": "", "%_'\"": "%_'\"",
		"a\x00b": `a\0b`, "\xff\xfe": `\xff\xfe`, `\`: `\\`, `\0`: `\\0`, "\ufffd": "\ufffd", "\xed\xa0\x80": `\xed\xa0\x80`,
	} {
		if got := stored(text); got != want {
			t.Errorf("%q is stored as %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := string(rapid.SliceOf(rapid.SampledFrom([]byte("ax0f\\\x00\xff\xea\xb0\x80"))).Draw(rt, "text"))
		kept := stored(text)
		if !utf8.ValidString(kept) || strings.Contains(kept, "\x00") {
			rt.Fatalf("%q is stored as %q, which TEXT cannot hold", text, kept)
		}
		if back, err := restored(kept); err != nil || back != text {
			rt.Fatalf("%q comes back as %q, %v", text, back, err)
		}
	})
	for _, bad := range []string{`\`, `a\`, `\x`, `\x1`, `\xg0`, `\1`, `\n`, `\x +`} {
		if got, err := restored(bad); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("%q is restored as %q, %v", bad, got, err)
		}
	}
}
