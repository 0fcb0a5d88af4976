package analysis

import (
	"encoding/binary"
	"hash/maphash"
	"math"
)

// keyHash stands for a scoped key while a whole day is counted, so that memory
// is bounded by the number of keys and not by their length. With 128 bits and
// a seed of this process's own, two keys of a billion fall together once in
// 10^20 days, and nobody can make them.
type keyHash [2]uint64

// hasher makes key hashes; its buffer is reused.
type hasher struct {
	seeds *[3]maphash.Seed
	buf   []byte
}

// scope is the hash of a key in its scope. Lengths keep ("ab", "c") and
// ("a", "bc") apart.
func (h *hasher) scope(client, endpoint, key []byte) keyHash {
	b := binary.AppendUvarint(h.buf[:0], uint64(len(client)))
	b = append(b, client...)
	b = binary.AppendUvarint(b, uint64(len(endpoint)))
	b = append(b, endpoint...)
	b = append(b, key...)
	h.buf = b
	return keyHash{maphash.Bytes(h.seeds[0], b), maphash.Bytes(h.seeds[1], b)}
}

// raw is the hash of a key alone, to compare it with another table's.
func (h *hasher) raw(key []byte) uint64 { return maphash.Bytes(h.seeds[2], key) }

// keyFilter tells which keys were seen before. It takes two bytes a key, where a
// table of them takes fifty, and is wrong about one new key in a hundred.
type keyFilter []uint64

func newKeyFilter(keys int64) keyFilter {
	words := int64(1024)
	for words < keys/4 {
		words *= 2
	}
	return make(keyFilter, words)
}

// add takes a key in and reports whether it was there already.
func (k keyFilter) add(h keyHash) bool {
	bits := uint64(1)<<(h[1]&63) | 1<<(h[1]>>6&63) | 1<<(h[1]>>12&63)
	word := &k[h[0]>>8&uint64(len(k)-1)]
	known := *word&bits == bits
	*word |= bits
	return known
}

// keyStat is what is known of one scoped key that occurs again.
type keyStat struct {
	hash        keyHash
	first, last int64 // received_at, nanoseconds since 1970; first > last when none is known
	rows        uint32
	transfers   uint32
	scope       uint32 // place of its text in finder.scopes, plus 1; 0 while it has none
}

// keyTable numbers scoped keys by their hash: open addressing over an array.
type keyTable struct {
	slots []slot
	stats []keyStat
}

// slot is the number of a key plus 1, and above it the half of its hash that
// did not choose the slot: nearly every other key is told apart right there,
// without a look at the far larger array of stats. 0 is a free slot.
type slot uint64

// newKeyTable has room for so many keys before it has to grow.
func newKeyTable(keys int64) keyTable {
	size := 1024
	for int64(size) < 2*keys {
		size *= 2
	}
	return keyTable{slots: make([]slot, size), stats: make([]keyStat, 0, keys)}
}

// clear forgets all keys and keeps the room for others.
func (k *keyTable) clear() {
	clear(k.slots)
	k.stats = k.stats[:0]
}

// number finds the key of h, or takes it in.
func (k *keyTable) number(h keyHash) uint32 {
	if 2*(len(k.stats)+1) > len(k.slots) {
		k.grow()
	}
	tag := slot(h[1]) << 32
	mask := uint64(len(k.slots) - 1)
	for i := h[0] & mask; ; i = (i + 1) & mask {
		s := k.slots[i]
		if s == 0 {
			k.stats = append(k.stats, keyStat{hash: h, first: math.MaxInt64, last: math.MinInt64})
			k.slots[i] = tag | slot(len(k.stats))
			return uint32(len(k.stats)) - 1
		}
		if n := uint32(s) - 1; s>>32 == tag>>32 && k.stats[n].hash == h {
			return n
		}
	}
}

// find is the number of a key that was taken in.
func (k *keyTable) find(h keyHash) (n uint32, ok bool) {
	tag, mask := slot(h[1])<<32, uint64(len(k.slots)-1)
	for i := h[0] & mask; k.slots[i] != 0; i = (i + 1) & mask {
		s := k.slots[i]
		if n := uint32(s) - 1; s>>32 == tag>>32 && k.stats[n].hash == h {
			return n, true
		}
	}
	return 0, false
}

func (k *keyTable) grow() {
	k.slots = make([]slot, 2*len(k.slots))
	mask := uint64(len(k.slots) - 1)
	for n := range k.stats {
		h := k.stats[n].hash
		i := h[0] & mask
		for k.slots[i] != 0 {
			i = (i + 1) & mask
		}
		k.slots[i] = slot(h[1])<<32 | slot(n+1)
	}
}

// seen counts one row of key n, received at ns when timed.
func (k *keyTable) seen(n uint32, ns int64, timed bool) {
	s := &k.stats[n]
	s.rows++
	if timed {
		s.first, s.last = min(s.first, ns), max(s.last, ns)
	}
}
