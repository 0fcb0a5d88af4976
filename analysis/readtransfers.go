package analysis

import (
	"cmp"
	"context"
	"strings"
	"sync/atomic"

	"idem/engine/sqlitestore/sqlfile"
)

// candidate is a transfer of a key that has, or may have, two or more.
type candidate struct {
	key      uint32
	created  int64 // nanoseconds since 1970
	seq      int64
	amount   int64
	id       string
	currency string
}

// compare is the order in which the transfers of one key happened.
func (c *candidate) compare(o *candidate) int {
	return cmp.Or(cmp.Compare(c.created, o.created), cmp.Compare(c.seq, o.seq), strings.Compare(c.id, o.id))
}

// transferPart is what one part of transfer_v1 held.
type transferPart struct {
	part
	candidates     []candidate
	late           []int  // places of requests alone under their key that moved money again
	matched        bitset // transfers whose request an earlier pass found
	rows           int64
	total          Money
	negative       int64
	negativeTotal  Money
	keyless        int64
	bad            []BadRow
	badCount       int64
	badTotal       Money
	unmatched      []TransferV1
	unmatchedCount int64
	unmatchedTotal Money
	differs        []KeyDifference
	differsCount   int64
	names          interner
	hint           int
	err            error
}

func (f *finder) readTransfers(ctx context.Context) error {
	return f.scanTransfers(ctx, func(t *transferPart, ordinal int, h *hasher, s *sqlfile.Stmt) {
		f.readTransfer(t, ordinal, h, s)
	})
}

func (f *finder) scanTransfers(ctx context.Context, row func(*transferPart, int, *hasher, *sqlfile.Stmt)) error {
	t := &f.in.tables[transferTable]
	parts := make([]part, len(f.transfers))
	for i := range f.transfers {
		parts[i] = f.transfers[i].part
	}
	columns := t.transferSelect()
	return f.in.scan(ctx, t, columns, parts, func(p part) (func(*sqlfile.Stmt), func()) {
		tp := &f.transfers[p.number]
		h := &hasher{seeds: &f.seeds}
		n := 0
		return func(s *sqlfile.Stmt) { row(tp, n, h, s); n++ }, func() { f.meter.add(int64(n)) }
	})
}

func (f *finder) readTransfer(p *transferPart, ordinal int, h *hasher, s *sqlfile.Stmt) {
	var row transferRow
	row.read(s)
	if f.pass == 0 {
		p.count(&row, s)
	}
	if row.why != "" || f.passes > 1 && p.matched.has(ordinal) {
		return
	}
	request, ok := (*sent)(nil), false
	if row.hasSeq {
		request, ok = f.index.find(row.seq, &p.hint)
	}
	switch {
	case !ok:
		if f.pass == f.passes-1 {
			p.miss(&row, s)
		}
		return
	case f.passes > 1:
		p.matched.set(ordinal)
	}
	if request.key != badKey && (!textual(s, tKey) || h.raw(s.Bytes(tKey)) != request.raw) {
		p.differ(&row, s)
	}
	f.attribute(p, &row, request.key, s)
}

// count takes what a row tells by itself.
func (p *transferPart) count(row *transferRow, s *sqlfile.Stmt) {
	if row.why == "" {
		p.rows++
		p.fail(p.total.Add(p.names.text(s, tCurrency), row.amount))
		if row.amount < 0 {
			p.negative++
			p.fail(p.negativeTotal.Add(p.names.text(s, tCurrency), row.amount))
		}
		return
	}
	if row.hasAmount && whyNoText(s, tCurrency) == "" {
		p.fail(p.badTotal.Add(p.names.text(s, tCurrency), row.amount))
	}
	if p.badCount++; len(p.bad) < mostListed {
		p.bad = append(p.bad, BadRow{"transfer_v1", rowName(s, tID, tCreated+1), transferColumns[row.column], shown(s, row.column), row.why})
	}
}

func (p *transferPart) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// miss takes a transfer whose request is not in the log.
func (p *transferPart) miss(row *transferRow, s *sqlfile.Stmt) {
	p.fail(p.unmatchedTotal.Add(p.names.text(s, tCurrency), row.amount))
	if p.unmatchedCount++; len(p.unmatched) < mostListed {
		p.unmatched = append(p.unmatched, row.transfer(s, &p.names))
	}
}

// differ takes a transfer whose key is not its request's. The request's key is
// looked up at the end, as it is seldom wanted.
func (p *transferPart) differ(row *transferRow, s *sqlfile.Stmt) {
	if p.differsCount++; len(p.differs) < mostListed {
		p.differs = append(p.differs, KeyDifference{TransferID: s.String(tID), Seq: row.seq, Transfer: named(s, tKey)})
	}
}

// attribute counts a transfer under the key of its request, which find has just
// found. A key with one request has one transfer nearly always; those of the
// others are collected right here.
func (f *finder) attribute(p *transferPart, row *transferRow, key uint32, s *sqlfile.Stmt) {
	switch {
	case key == noKey:
		p.keyless++
	case key == badKey:
	case key != alone && f.keys.stats[key].rows > 1:
		f.collect(p, row, key, s)
	case f.moved.set(p.hint):
		p.late = append(p.late, p.hint)
	}
}

func (f *finder) collect(p *transferPart, row *transferRow, key uint32, s *sqlfile.Stmt) {
	atomic.AddUint32(&f.keys.stats[key].transfers, 1)
	p.candidates = append(p.candidates, candidate{
		key: key, created: row.created, seq: row.seq, amount: row.amount,
		id: s.String(tID), currency: p.names.text(s, tCurrency),
	})
}

func (p *transferPart) addTo(d *Duplicates) error {
	d.Transfers += p.rows
	d.KeylessTransfers += p.keyless
	d.BadTransfers += p.badCount
	d.list(p.bad...)
	d.UnmatchedCount += p.unmatchedCount
	d.Unmatched = append(d.Unmatched, p.unmatched[:min(len(p.unmatched), mostListed-len(d.Unmatched))]...)
	d.KeyDiffersCount += p.differsCount
	d.KeyDiffers = append(d.KeyDiffers, p.differs[:min(len(p.differs), mostListed-len(d.KeyDiffers))]...)
	d.NegativeTransfers += p.negative
	if p.err != nil {
		return p.err
	}
	for _, sum := range []struct {
		into *Money
		part Money
	}{{&d.V1Total, p.total}, {&d.NegativeTotal, p.negativeTotal}, {&d.BadTotal, p.badTotal}, {&d.UnmatchedTotal, p.unmatchedTotal}} {
		if err := sum.into.AddAll(sum.part); err != nil {
			return err
		}
	}
	return nil
}

// marks is a set of numbers below a limit that several may fill at a time.
type marks []uint32

func newMarks(limit int) marks { return make(marks, (limit+31)/32) }

// set takes i in and reports whether it was there already.
func (m marks) set(i int) bool {
	bit := uint32(1) << (i % 32)
	return atomic.OrUint32(&m[i/32], bit)&bit != 0
}

// bitset is a set of small numbers.
type bitset []uint64

func (b bitset) has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 == 1 }

func (b *bitset) set(i int) {
	for i/64 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}
