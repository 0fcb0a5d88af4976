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

// readTransfers fills ledger.
func (d *facts) readTransfers(ctx context.Context) error {
	d.ledger.see = d.noteTransfers
	err := d.in.WalkTransfers(ctx, analysis.Walk[analysis.TransferRow]{
		Extra:    transferExtra,
		Progress: d.meter,
		Plan: func(rows []int64, all int64) {
			d.ledger.plan(len(rows))
			d.payments = newRecurring(all)
		},
		Part: func(n int) func(*analysis.TransferRow) {
			r := transferReader{facts: d, money: d.money.cache()}
			return func(row *analysis.TransferRow) { d.ledger.add(n, r.read(row)) }
		},
	})
	if err != nil {
		return err
	}
	return d.ledger.finish()
}

// transferReader reads rows of one part.
type transferReader struct {
	facts *facts
	money nameCache
	buf   []byte
}

func (q *transferReader) read(row *analysis.TransferRow) booked {
	d := q.facts
	t := transfer{place: row.Place, created: row.Created, amount: row.Amount, cap: Certain,
		currency: uint16(q.money.number(row.Currency))}
	var id [8]byte
	copy(id[:], row.ID)
	t.id = binary.BigEndian.Uint64(id[:])
	text := appendText(appendText(appendText(q.buf[:0], row.Src), row.Dst), row.Currency)
	t.parties = maphash.Bytes(d.seed, text)
	for i := range 8 {
		text = append(text, byte(uint64(row.Amount)>>(8*i)))
	}
	q.buf, t.payment = text, maphash.Bytes(d.seed, text)
	switch string(row.Extra[xJoinConfidence]) {
	case "probable":
		t.cap = Probable
	case "suspected":
		t.cap = Suspected
	}
	b := booked{transfer: t, seq: row.Seq, loose: looseTransfer{named: row.HasSeq}}
	if row.HasSeq && d.surelyLogged(row.Seq) {
		return b
	}
	l := &b.loose
	l.ref, l.key = d.hash(row.Extra[xReference]), d.hash(normalKey(row.Key, &q.buf))
	if bytes.ContainsAny(row.Extra[xReference], "0123456789") {
		l.flags = digits
	}
	return b
}

// surelyLogged reports whether the log has a seq, where that can be told by its
// ends: its seqs are in order and without a gap.
func (d *facts) surelyLogged(seq int64) bool {
	if d.unordered || len(d.log.blocks) == 0 {
		return false
	}
	first, last := d.log.blocks[0].first.seq, d.log.blocks[len(d.log.blocks)-1].last.seq
	return seq >= first && seq <= last && uint64(last)-uint64(first) == uint64(d.log.rows-1)
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
