package analysis

import (
	"context"
	"sync"

	"idem/engine/sqlitestore/sqlfile"
)

// A log whose seqs are row ids without a gap, as nearly every log's are, is
// opened at a position without passing the rows before it: the position is a
// seq. That there is no gap is found out by counting the rows once.

// density remembers whether req_log is such a log, and its first seq.
type density struct {
	mu    sync.Mutex
	known bool
	is    bool
	low   int64
	rows  int64
}

// lastOf gives the seq of the last of the first n > 0 rows of req_log, where
// that can be told by their number alone.
func (in *Incident) lastOf(ctx context.Context, n int64) (seq int64, ok bool, err error) {
	t := &in.tables[requestTable]
	if t.seq.usable != everyRow {
		return 0, false, nil
	}
	d := &in.density
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.known {
		if err := in.measure(ctx, t, d); err != nil {
			return 0, false, err
		}
	}
	return d.low + min(n, d.rows) - 1, d.is, nil
}

func (in *Incident) measure(ctx context.Context, t *table, d *density) error {
	var err error
	if d.rows, err = in.count(ctx, t); err != nil {
		return err
	}
	err = in.each(ctx, t.rowidEnds(), func(s *sqlfile.Stmt) {
		d.low, d.is = s.Int(0), d.rows > 0 && spanOf(s.Int(0), s.Int(1)) == d.rows
	})
	d.known = err == nil
	return err
}
