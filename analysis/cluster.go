package analysis

import (
	"context"
	"sync"

	"idem/engine/sqlitestore/sqlfile"
)

// A ledger without an index on seq mostly lies in seq order all the same, as
// its rows were appended while the requests came in. Then it is read by row
// id, where SQLite would sort the whole table for each page of a screen. That
// it does is found out by reading its seq column once, when first needed.

// clustering remembers by table whether its row ids are in seq order.
type clustering struct {
	mu    sync.Mutex
	known [transferTable + 1]bool
	is    [transferTable + 1]bool
}

// clustered reports whether the usable rows of a table lie in seq order.
func (in *Incident) clustered(ctx context.Context, number, seq int) (bool, error) {
	t := &in.tables[number]
	if t.rowid == "" {
		return false, nil
	}
	c := &in.clustering
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[number] {
		return c.is[number], nil
	}
	is, err := in.inSeqOrder(ctx, t, seq)
	if err == nil {
		c.known[number], c.is[number] = true, is
	}
	return is, err
}

// streak is what is known of the seqs of one part: their order, first and last.
type streak struct {
	first, last int64
	any, broken bool
}

func (r *streak) add(seq int64) {
	if !r.any {
		r.first, r.last, r.any = seq, seq, true
	}
	r.broken = r.broken || seq < r.last
	r.last = seq
}

func (in *Incident) inSeqOrder(ctx context.Context, t *table, seq int) (bool, error) {
	parts, _, err := in.parts(ctx, t)
	if err != nil {
		return false, err
	}
	runs := make([]streak, len(parts))
	err = in.scan(ctx, t, t.columns[seq], parts, func(p part) (func(*sqlfile.Stmt), func()) {
		r := &runs[p.number]
		return func(s *sqlfile.Stmt) {
			if v, ok := integer(s, 0); ok {
				r.add(v)
			}
		}, func() {}
	})
	if err != nil {
		return false, err
	}
	var all streak
	for _, r := range runs {
		if !r.any {
			continue
		}
		if r.broken || all.any && r.first < all.last {
			return false, nil
		}
		all = streak{first: r.first, last: r.last, any: true}
	}
	return true, nil
}

// firstAt gives the first row id from which on no usable row has a smaller seq,
// in a table that is clustered.
func firstAt(ctx context.Context, db *sqlfile.DB, t *table, seq int64) (int64, error) {
	ends, err := db.Query(ctx, t.rowidEnds())
	if err != nil {
		return 0, err
	}
	ends.Next()
	low, high := ends.Int(0), ends.Int(1)
	if err := ends.Close(); err != nil {
		return 0, err
	}
	next, err := db.Query(ctx, "SELECT "+t.seq.value+" FROM "+t.name+" WHERE "+t.rowid+" >= ?1 AND "+t.seq.usable+" ORDER BY "+t.rowid+" LIMIT 1")
	if err != nil {
		return 0, err
	}
	for low < high {
		middle := low + int64((uint64(high)-uint64(low))/2)
		next.BindInt(1, middle)
		if next.Next() && next.Int(0) < seq {
			low = middle + 1
		} else {
			high = middle
		}
		if err := next.Reset(); err != nil {
			return 0, err
		}
	}
	return low, next.Close()
}
