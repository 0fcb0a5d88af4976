package analysis

import (
	"encoding/binary"
	"hash/maphash"
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

// keyStat is what is known of one scoped key.
type keyStat struct {
	hash        keyHash
	first, last int64 // received_at, nanoseconds since 1970; valid when timed
	rows        uint32
	transfers   uint32 // two mean two or more only after both tables were read
	timed       bool
}

// keyTable numbers scoped keys by their hash: open addressing over an array.
type keyTable struct {
	slots []uint32 // number + 1, 0 when free
	stats []keyStat
}

// number finds the key of h, or takes it in.
func (k *keyTable) number(h keyHash) uint32 {
	if 2*(len(k.stats)+1) > len(k.slots) {
		k.grow()
	}
	mask := uint64(len(k.slots) - 1)
	for i := h[0] & mask; ; i = (i + 1) & mask {
		switch n := k.slots[i]; {
		case n == 0:
			k.stats = append(k.stats, keyStat{hash: h})
			k.slots[i] = uint32(len(k.stats))
			return uint32(len(k.stats)) - 1
		case k.stats[n-1].hash == h:
			return n - 1
		}
	}
}

func (k *keyTable) grow() {
	k.slots = make([]uint32, max(1024, 2*len(k.slots)))
	mask := uint64(len(k.slots) - 1)
	for n := range k.stats {
		i := k.stats[n].hash[0] & mask
		for k.slots[i] != 0 {
			i = (i + 1) & mask
		}
		k.slots[i] = uint32(n) + 1
	}
}

// seen counts one row of key n, received at ns when timed.
func (k *keyTable) seen(n uint32, ns int64, timed bool) {
	s := &k.stats[n]
	s.rows++
	if !timed {
		return
	}
	if !s.timed {
		s.first, s.last, s.timed = ns, ns, true
	}
	s.first, s.last = min(s.first, ns), max(s.last, ns)
}
