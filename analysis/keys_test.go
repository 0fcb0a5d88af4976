package analysis

import (
	"encoding/binary"
	"hash/maphash"
	"testing"
)

// TestKeyFilter: a key that came before is always known, a new one hardly ever
// taken for one.
func TestKeyFilter(t *testing.T) {
	const keys = 50_000
	seeds := [3]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed(), maphash.MakeSeed()}
	h := hasher{seeds: &seeds}
	hash := func(i int) keyHash { return h.scope(nil, nil, binary.AppendUvarint(nil, uint64(i))) }
	f := newKeyFilter(keys)
	wrong := 0
	for i := range keys {
		if f.add(hash(i)) {
			wrong++
		}
	}
	if wrong > keys/25 {
		t.Errorf("%d of %d new keys are taken for known ones", wrong, keys)
	}
	for i := range keys {
		if !f.add(hash(i)) {
			t.Fatalf("key %d is not known", i)
		}
	}
}
