package ingest

import (
	"cmp"
	"fmt"
	"slices"

	"idem/analysis"
	"idem/engine/sqlitestore/sqlfile"
)

// books count a day while it is written, which saves reading it again. Rows that
// are taken out afterwards are taken off.
type books struct {
	requests, payments int64
	completed          int64 // requests whose payment only the ledger shows
	transfers          int64
	totals             analysis.Money
	joins              map[[2]string]int64 // by kind and confidence; "" is unmatched
	paid               bitset              // payments that were answered 2xx, by seq
	moved              bitset              // requests that have a transfer, by seq
}

func (b *books) request(seq int64, r *requestRow) {
	b.requests++
	if r.kind != payment {
		return
	}
	b.payments++
	if r.Status >= 200 && r.Status < 300 {
		b.paid.set(seq)
	}
}

func (b *books) transfer(currency string, amount, n int64, j *join) error {
	b.transfers += n
	if b.joins == nil {
		b.joins = map[[2]string]int64{}
	}
	b.joins[[2]string{j.kind, j.confidence}] += n
	if j.kind != "" && n > 0 {
		b.moved.set(j.seq)
	}
	if err := b.totals.Add(currency, amount); err != nil {
		return fmt.Errorf("sum up transfers: %w", err)
	}
	return nil
}

// tie notes that a transfer without a request has one.
func (b *books) tie(j *join) {
	b.joins[[2]string{}]--
	b.joins[[2]string{j.kind, j.confidence}]++
	b.moved.set(j.seq)
}

// joinCounts are the joins, strongest first, without what is unmatched.
func (b *books) joinCounts() []JoinCount {
	var list []JoinCount
	for kind, n := range b.joins {
		if kind[0] != "" && n > 0 {
			list = append(list, JoinCount{kind[0], kind[1], n})
		}
	}
	rank := []string{joinRequestID, joinReference, joinKey, joinCircumstances}
	slices.SortFunc(list, func(x, y JoinCount) int {
		return cmp.Or(slices.Index(rank, x.Kind)-slices.Index(rank, y.Kind), cmp.Compare(x.Confidence, y.Confidence))
	})
	return list
}

// recount reads from the database what sorting, folding and completing bodies
// have changed about requests.
func (b *books) recount(s *store) error {
	*b = books{transfers: b.transfers, totals: b.totals, joins: b.joins}
	err := s.each("SELECT seq FROM transfer_v1 WHERE seq IS NOT NULL", func(row *sqlfile.Stmt) { b.moved.set(row.Int(0)) })
	if err != nil {
		return err
	}
	return s.each("SELECT seq, kind = 'payment', status BETWEEN 200 AND 299, body_from IN ('ledger', 'key') FROM req_log", func(row *sqlfile.Stmt) {
		b.requests++
		b.completed += row.Int(3)
		if row.Int(1) == 1 {
			b.payments++
			if row.Int(2) == 1 {
				b.paid.set(row.Int(0))
			}
		}
	})
}

// bitset is a set of row numbers: a million of them take 125 kB.
type bitset []uint64

func (b *bitset) set(n int64) {
	for int(n/64) >= len(*b) {
		*b = append(*b, make([]uint64, max(1024, len(*b)))...)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bitset) has(n int64) bool { return int(n/64) < len(b) && b[n/64]>>(n%64)&1 == 1 }

// without counts what is in b and not in other.
func (b bitset) without(other bitset) (n int64) {
	for i, word := range b {
		if i < len(other) {
			word &^= other[i]
		}
		for ; word != 0; word &= word - 1 {
			n++
		}
	}
	return n
}
