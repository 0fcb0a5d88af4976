package sqlitestore

import (
	"hash/maphash"

	"idem/engine"
)

// filter is a Bloom filter over what a file has: when it says no, there is no
// need to look. It is as large for a day of ten million requests as for one of
// a thousand; the longer the day, the more often it says yes for nothing.
type filter struct {
	everything bool // the file had rows before: always yes
	bits       []uint64
}

const filterBits = 1 << 26 // 8 MB: one in 300 for nothing after a million requests

var filterSeed = maphash.MakeSeed()

func (f *filter) add(hash uint64) {
	if f.everything {
		return
	}
	if f.bits == nil {
		f.bits = make([]uint64, filterBits/64)
	}
	for _, bit := range places(hash) {
		f.bits[bit/64] |= 1 << (bit % 64)
	}
}

func (f *filter) has(hash uint64) bool {
	if f.everything || f.bits == nil {
		return f.everything
	}
	for _, bit := range places(hash) {
		if f.bits[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// places are the two bits of a hash.
func places(hash uint64) [2]uint64 {
	return [2]uint64{hash % filterBits, hash >> 32 % filterBits}
}

func keyHash(key engine.ScopedKey) uint64 { return maphash.Comparable(filterSeed, key) }

func idHash(id string) uint64 { return maphash.String(filterSeed, id) }
