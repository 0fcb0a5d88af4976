package findings

import (
	"hash/maphash"
	"testing"
)

// TestRecurring: what occurs again is always told, hardly anything else is.
func TestRecurring(t *testing.T) {
	const hashes = 40_000
	seed := maphash.MakeSeed()
	hash := func(i int) uint64 { return maphash.Comparable(seed, i) | 1 }
	r := newRecurring(hashes)
	for i := range hashes {
		r.add(hash(i))
	}
	for i := range hashes / 10 {
		r.add(hash(i))
	}
	wrong := 0
	for i := range hashes {
		switch again := r.has(hash(i)); {
		case i < hashes/10 && !again:
			t.Fatalf("hash %d occurred twice and is not told", i)
		case i >= hashes/10 && again:
			wrong++
		}
	}
	if wrong > hashes/25 {
		t.Errorf("%d of %d hashes that occurred once are told", wrong, hashes)
	}
}

func TestPlaces(t *testing.T) {
	p := newPlaces(300)
	list := []int32{0, 63, 64, 65, 128, 299}
	for _, i := range list {
		if p.set(i) || !p.set(i) {
			t.Errorf("%d is there before it is set, or not after", i)
		}
	}
	if n := p.count(); n != len(list) {
		t.Errorf("%d places, want %d", n, len(list))
	}
	for want, i := range list {
		if got := p.rank(i); got != int32(want) {
			t.Errorf("%d places before %d, want %d", got, i, want)
		}
	}
}
