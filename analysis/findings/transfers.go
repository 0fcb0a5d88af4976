package findings

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"idem/analysis"
)

// readTransfers fills transfers, in the order of the table.
func (d *facts) readTransfers(ctx context.Context) error {
	var parts gather[transfer]
	var loose gather[looseTransfer]
	err := d.in.WalkTransfers(ctx, analysis.Walk[analysis.TransferRow]{
		Extra:    transferExtra,
		Progress: d.meter,
		Plan: func(rows []int64, all int64) {
			parts.plan(rows, all)
			loose.parts = make([][]looseTransfer, len(rows))
		},
		Part: func(n int) func(*analysis.TransferRow) {
			r := transferReader{facts: d, money: d.money.cache()}
			return func(row *analysis.TransferRow) {
				t, l := r.read(row)
				if t.request < 0 {
					l.transfer = int32(len(parts.parts[n]))
					loose.add(n, l)
				}
				parts.add(n, t)
			}
		},
	})
	if err != nil {
		return err
	}
	before := int32(0)
	for n, p := range parts.parts {
		for i := range loose.parts[n] {
			loose.parts[n][i].transfer += before
		}
		before += int32(len(p))
	}
	d.transfers, d.loose = parts.all(), slices.Concat(loose.parts...)
	return nil
}

// transferReader reads rows of one part.
type transferReader struct {
	facts *facts
	money nameCache
	buf   []byte
	hint  int
}

func (q *transferReader) read(row *analysis.TransferRow) (transfer, looseTransfer) {
	d := q.facts
	t := transfer{place: row.Place, created: row.Created, amount: row.Amount, request: -1, cap: Certain,
		currency: uint16(q.money.number(row.Currency))}
	var id [8]byte
	copy(id[:], row.ID)
	t.id = binary.BigEndian.Uint64(id[:])
	b := appendText(appendText(appendText(q.buf[:0], row.Src), row.Dst), row.Currency)
	t.parties = maphash.Bytes(d.seed, b)
	for i := range 8 {
		b = append(b, byte(uint64(row.Amount)>>(8*i)))
	}
	q.buf, t.payment = b, maphash.Bytes(d.seed, b)
	switch string(row.Extra[xJoinConfidence]) {
	case "probable":
		t.cap = Probable
	case "suspected":
		t.cap = Suspected
	}
	if row.HasSeq {
		t.request = d.find(row.Seq, &q.hint)
	}
	if t.request >= 0 {
		return t, looseTransfer{}
	}
	l := looseTransfer{ref: d.hash(row.Extra[xReference]), named: row.HasSeq}
	l.key = d.hash(normalKey(row.Key, &q.buf))
	if bytes.ContainsAny(row.Extra[xReference], "0123456789") {
		l.flags = digits
	}
	return t, l
}

// appendText joins texts so that ("a", "bc") is not ("ab", "c").
func appendText(b, text []byte) []byte {
	n := len(text)
	return append(append(b, byte(n), byte(n>>8), byte(n>>16)), text...)
}

// find is the first request with this seq, -1 where there is none. Ledgers are
// mostly written in the order of the requests, so hint is tried first.
func (d *facts) find(seq int64, hint *int) int32 {
	list := d.requests[:d.logged]
	for i := *hint; i < min(*hint+3, len(list)); i++ {
		if list[i].seq == seq && (i == 0 || list[i-1].seq != seq) {
			*hint = i
			return int32(i)
		}
	}
	i, ok := slices.BinarySearchFunc(list, seq, func(r request, seq int64) int { return cmp.Compare(r.seq, seq) })
	if !ok {
		return -1
	}
	*hint = i
	return int32(i)
}
