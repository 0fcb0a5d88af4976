package whatif

import (
	"errors"
	"testing"

	"idem/engine"
)

// FuzzParseChanges: a list of changes is refused, or makes a policy that can be
// replayed under.
func FuzzParseChanges(f *testing.F) {
	for _, seed := range []string{"retention_hours=24", "scope=client_id,idem_key,lease_seconds=5", "on_in_flight=425", "=", ",", "x=1", "retention_hours=-1", "retention_hours=1e99"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseChanges(text, engine.DefaultPolicy())
		switch {
		case err != nil && !errors.Is(err, engine.ErrPolicy):
			t.Fatalf("%q: %v", text, err)
		case err == nil && p.Validate() != nil:
			t.Fatalf("%q makes %+v, which is no policy", text, p)
		}
	})
}
