package memstore

import "idem/engine"

// table keeps packed records by the hashes of their keys. The map has no pointer
// in it, so that neither the collector nor its growth looks at a key again, and
// the rows lie in the order they came.
type table struct {
	first map[uint64]int32 // from a hash to the first row with it
	rows  []row            // row 0 is nobody's, so that 0 is no row
	free  int32            // the first row that is not used
}

// row is a record, or free.
type row struct {
	packed
	next int32 // row with the same hash, or the next free one
}

func newTable() table {
	return table{first: make(map[uint64]int32), rows: make([]row, 1)}
}

// find gives the row of a packed key, 0 for none.
func (t *table) find(hash uint64, key []byte) int32 {
	at := t.first[hash]
	for at != 0 && !t.rows[at].has(key) {
		at = t.rows[at].next
	}
	return at
}

func (p *packed) has(key []byte) bool {
	return len(p.text) >= len(key) && p.text[:len(key)] == string(key)
}

// read is the record at a row that find gave; nil for none.
func (t *table) read(at int32) *engine.Record {
	if at == 0 {
		return nil
	}
	r := t.rows[at].record()
	return &r
}

// put replaces the record at a row that find gave, or adds one.
func (t *table) put(hash uint64, at int32, p packed) {
	if at != 0 {
		t.rows[at].packed = p
		return
	}
	if at = t.free; at != 0 {
		t.free = t.rows[at].next
	} else {
		at = int32(len(t.rows))
		t.rows = append(t.rows, row{})
	}
	t.rows[at] = row{p, t.first[hash]}
	t.first[hash] = at
}

// remove frees a row that find gave.
func (t *table) remove(hash uint64, at int32) {
	if first := t.first[hash]; first != at {
		for t.rows[first].next != at {
			first = t.rows[first].next
		}
		t.rows[first].next = t.rows[at].next
	} else if next := t.rows[at].next; next != 0 {
		t.first[hash] = next
	} else {
		delete(t.first, hash)
	}
	t.rows[at] = row{next: t.free}
	t.free = at
}

// purge removes at most limit records that old says may go. hash is that of
// packed keys.
func (t *table) purge(limit int, hash func(key []byte) uint64, old func(*engine.Record) bool) (purged int) {
	for at := 1; at < len(t.rows) && purged < limit; at++ {
		p := t.rows[at].packed
		if p.text == "" {
			continue
		}
		if r := p.record(); old(&r) {
			t.remove(hash(appendKey(nil, r.Key)), int32(at))
			purged++
		}
	}
	return purged
}
