package findings

import "math/bits"

// sieve is a set of hashes that takes two bytes each, where a table takes twenty.
// It takes one in a hundred that it does not have for one of its own.
type sieve []uint64

// newSieve has room for so many hashes.
func newSieve(hashes int64) sieve {
	words := int64(1 << 8)
	for words < hashes/4 {
		words *= 2
	}
	return make(sieve, words)
}

// add takes a hash in and reports whether it was there.
func (s sieve) add(h uint64) bool {
	word, mask := &s[h>>20&uint64(len(s)-1)], bitsOf(h)
	had := *word&mask == mask
	*word |= mask
	return had
}

func (s sieve) has(h uint64) bool {
	mask := bitsOf(h)
	return s[h>>20&uint64(len(s)-1)]&mask == mask
}

// recurring tells which hashes occur twice or more, and a few others; 0 is none.
type recurring struct{ once, twice sieve }

func newRecurring(hashes int64) recurring {
	return recurring{newSieve(hashes), newSieve(hashes / 4)}
}

func (r *recurring) add(h uint64) {
	if h != 0 && r.once.add(h) {
		r.twice.add(h)
	}
}

func (r *recurring) has(h uint64) bool { return h != 0 && r.twice.has(h) }

// bitsOf are three bits of a word. The lowest bit of a hash is always set.
func bitsOf(h uint64) uint64 { return 1<<(h>>1&63) | 1<<(h>>7&63) | 1<<(h>>13&63) }

// places is a set of numbers below a limit, which tells how many lie before one.
type places struct {
	words  []uint64
	before []int32 // how many lie in the words before, once counted
}

func newPlaces(limit int) places { return places{words: make([]uint64, limit/64+1)} }

func (p *places) has(i int32) bool { return p.words[i/64]>>(i%64)&1 == 1 }

// set takes i in and reports whether it was there.
func (p *places) set(i int32) bool {
	had := p.has(i)
	p.words[i/64] |= 1 << (i % 64)
	return had
}

// count makes rank ready, and tells how many there are.
func (p *places) count() int {
	n := 0
	p.before = make([]int32, len(p.words))
	for i, w := range p.words {
		p.before[i] = int32(n)
		n += bits.OnesCount64(w)
	}
	return n
}

// rank is how many of the set lie before i.
func (p *places) rank(i int32) int32 {
	return p.before[i/64] + int32(bits.OnesCount64(p.words[i/64]&(1<<(i%64)-1)))
}
