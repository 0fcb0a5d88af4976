package pgstore

import (
	"errors"
	"testing"

	"idem/engine"
)

// FuzzRestored reads texts as somebody may have edited them: damage is told, and
// what is restored is a text that is stored again without loss.
func FuzzRestored(f *testing.F) {
	for _, seed := range []string{"order-1001", `a\0b`, `\xff`, `\\`, `\`, `\x1`, `\xfF`, "가"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, kept string) {
		text, err := restored(kept)
		if err != nil {
			if !errors.Is(err, engine.ErrDamaged) {
				t.Fatalf("%q: %v", kept, err)
			}
			return
		}
		if back, err := restored(stored(text)); err != nil || back != text {
			t.Fatalf("%q is restored as %q, and again as %q, %v", kept, text, back, err)
		}
	})
}
