package analysis

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"idem/engine/sqlitestore/sqlfile"
)

const (
	// scanners read one table at the same time, each on a connection of its own.
	scanners = 2
	// partSpan is how many row ids one scanner takes at a time.
	partSpan = 1 << 16
	// mostParts keeps the list of parts short where row ids are far apart.
	mostParts = 1 << 12
)

// A part is the rows of a table between two row ids. What a scan collects is
// kept by part, so that the result does not depend on which scanner was faster.
type part struct {
	number    int
	low, high int64
}

// parts divides t by its row ids; a table without them is one part. rows is
// how many there are, at most: row ids are mostly dense, and then nothing has
// to be counted.
func (in *Incident) parts(ctx context.Context, t *table) (list []part, rows int64, err error) {
	if t.rowid == "" {
		rows, err = in.count(ctx, t)
		return []part{{}}, rows, err
	}
	var low, high int64
	empty := false
	err = in.each(ctx, t.rowidEnds(), func(s *sqlfile.Stmt) {
		low, high, empty = s.Int(0), s.Int(1), s.Type(0) == sqlfile.Null
	})
	if err != nil || empty {
		return nil, 0, err
	}
	ids := uint64(high) - uint64(low)
	if ids < passRows {
		return divide(low, high, partSpan), int64(ids) + 1, nil
	}
	rows, err = in.count(ctx, t)
	return divide(low, high, max(partSpan, ids/mostParts+1)), rows, err
}

// rowidEnds asks for the least and the greatest row id: in two queries, as
// SQLite looks up one end of a table but scans it for both.
func (t *table) rowidEnds() string {
	return fmt.Sprintf("SELECT (SELECT min(%[1]s) FROM %[2]s), (SELECT max(%[1]s) FROM %[2]s)", t.rowid, t.name)
}

// divide cuts the row ids from low to high into parts of so many ids.
func divide(low, high int64, span uint64) []part {
	var list []part
	for {
		p := part{number: len(list), low: low, high: high}
		if uint64(high)-uint64(low) >= span {
			p.high = low + int64(span) - 1
		}
		list = append(list, p)
		if p.high == high {
			return list
		}
		low = p.high + 1
	}
}

func (in *Incident) count(ctx context.Context, t *table) (n int64, err error) {
	err = in.each(ctx, "SELECT count(*) FROM "+t.name, func(s *sqlfile.Stmt) { n = s.Int(0) })
	return n, err
}

// scan reads every row of the parts of t once, several at a time. begin gives
// the function for the rows of one part and the one for its end.
func (in *Incident) scan(ctx context.Context, t *table, columns string, parts []part,
	begin func(part) (row func(*sqlfile.Stmt), end func())) error {
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(scanners, len(parts)) {
		group.Go(func() error {
			db, err := in.connect()
			if err != nil {
				return err
			}
			defer db.Close()
			return readError(in.path, scanParts(ctx, db, t, columns, func() (part, bool) {
				i := next.Add(1) - 1
				if i >= int64(len(parts)) {
					return part{}, false
				}
				return parts[i], true
			}, begin))
		})
	}
	return group.Wait()
}

func scanParts(ctx context.Context, db *sqlfile.DB, t *table, columns string, next func() (part, bool),
	begin func(part) (row func(*sqlfile.Stmt), end func())) error {
	sql := "SELECT " + columns + ", " + t.rowidOrNull() + " FROM " + t.name
	if t.rowid != "" {
		sql += " WHERE " + t.rowid + " BETWEEN ?1 AND ?2"
	}
	s, err := db.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer s.Close()
	for p, ok := next(); ok; p, ok = next() {
		if t.rowid != "" {
			s.BindInt(1, p.low)
			s.BindInt(2, p.high)
		}
		row, end := begin(p)
		for s.Next() {
			row(s)
		}
		if err := s.Reset(); err != nil {
			return err
		}
		end()
	}
	return ctx.Err()
}

// meter tells a caller how far a scan is, at the end of each part.
type meter struct {
	mu          sync.Mutex
	done, total int64
	tell        func(done, total int64)
}

// finish tells that all is done: row ids that are not dense promised more.
func (m *meter) finish() { m.add(m.total - m.done) }

func (m *meter) add(rows int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done = min(m.done+rows, m.total)
	if m.tell != nil {
		m.tell(m.done, m.total)
	}
}
