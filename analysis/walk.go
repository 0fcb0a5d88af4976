package analysis

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"idem/engine/sqlitestore/sqlfile"
)

// RequestRow is a row of req_log as a walk reads it, without copying a cell:
// its bytes are valid until the next row. A cell that is NULL, or neither text
// nor integer, is nil.
type RequestRow struct {
	Place            int64 // where the row is found again
	Seq              int64
	HasSeq           bool
	At               int64 // received_at, nanoseconds since 1970 UTC
	Timed            bool  // At could be read
	Client, Endpoint []byte
	Key, Body        []byte
	Method, Node     []byte
	Duration         int64 // milliseconds, -1 when unknown
	Status, Attempts int   // 0 when unknown
	Extra            [][]byte
}

// TransferRow is a row of transfer_v1 as a walk reads it; see RequestRow. Rows
// that cannot be used are passed over.
type TransferRow struct {
	Place    int64
	Seq      int64
	HasSeq   bool
	ID, Key  []byte
	Src, Dst []byte
	Amount   int64 // minor units
	Currency []byte
	Created  int64 // nanoseconds since 1970 UTC
	Extra    [][]byte
}

// Walk is one reading of a table, several parts of it at a time. What it
// collects is to be kept by part, so that the result does not depend on which
// part was faster.
type Walk[R any] struct {
	// Extra names columns beyond those of Schema; a file may lack them.
	Extra []string
	// Plan is told beforehand how many rows each part has at most, and how many
	// all of them have at most. It may be nil.
	Plan func(rows []int64, all int64)
	// Part gives the function for the rows of one part; nil passes it over.
	Part func(number int) func(*R)
	// Progress, which may be nil, is told the rows read.
	Progress func(rows int64)
}

// WalkRequests reads every row of req_log once, in no order but that within a
// part. Errors: ErrUnreadable, ctx's own.
func (in *Incident) WalkRequests(ctx context.Context, w Walk[RequestRow]) error {
	return walk(ctx, in, requestTable, w, requestReader)
}

// WalkTransfers reads every usable row of transfer_v1 once.
func (in *Incident) WalkTransfers(ctx context.Context, w Walk[TransferRow]) error {
	return walk(ctx, in, transferTable, w, transferReader)
}

// RequestsAt reads the rows at these places, which are sorted. take is told
// which of the places a row is at, from several goroutines.
func (in *Incident) RequestsAt(ctx context.Context, places []int64, extra []string, take func(i int, r *RequestRow)) error {
	return readAt(ctx, in, requestTable, places, extra, take, requestReader)
}

// TransfersAt is RequestsAt for transfer_v1.
func (in *Incident) TransfersAt(ctx context.Context, places []int64, extra []string, take func(i int, r *TransferRow)) error {
	return readAt(ctx, in, transferTable, places, extra, take, transferReader)
}

// A reader makes the function that turns the row a statement stands on into r;
// it is false where the row cannot be used. columns are those before the row id.
type reader[R any] func(columns int) func(s *sqlfile.Stmt, place int64, r *R) bool

func walk[R any](ctx context.Context, in *Incident, number int, w Walk[R], read reader[R]) error {
	t := &in.tables[number]
	columns, n, err := in.withExtra(ctx, number, w.Extra)
	if err != nil {
		return err
	}
	parts, rows, err := in.parts(ctx, t)
	if err != nil {
		return err
	}
	if w.Plan != nil {
		w.Plan(t.rowsOf(parts, rows), rows)
	}
	return in.scan(ctx, t, columns, parts, func(p part) (func(*sqlfile.Stmt), func()) {
		row, take := read(n), w.Part(p.number)
		var r R
		count := int64(0)
		return func(s *sqlfile.Stmt) {
				place := count
				if t.rowid != "" {
					place = s.Int(n)
				}
				count++
				if take != nil && row(s, place, &r) {
					take(&r)
				}
			}, func() {
				if w.Progress != nil {
					w.Progress(count)
				}
			}
	})
}

// rowsOf is how many rows each part has at most.
func (t *table) rowsOf(parts []part, rows int64) []int64 {
	list := make([]int64, len(parts))
	for i, p := range parts {
		if list[i] = rows; t.rowid != "" {
			list[i] = min(p.high-p.low+1, rows)
		}
	}
	return list
}

// withExtra is the SELECT list of a table with further columns, NULL for those
// that the file lacks, and how many columns that are.
func (in *Incident) withExtra(ctx context.Context, number int, extra []string) (list string, n int, err error) {
	t := &in.tables[number]
	db, err := in.connect()
	if err != nil {
		return "", 0, err
	}
	defer db.Close()
	found, err := names(ctx, db, "SELECT name FROM pragma_table_xinfo("+literal(t.bare)+")")
	if err != nil {
		return "", 0, readError(in.path, err)
	}
	list = strings.Join(t.columns, ", ")
	for _, name := range extra {
		column := "NULL"
		if hit, ok := match(found, name); ok {
			column = quote(hit)
		}
		list += ", " + column
	}
	return list, len(t.columns) + len(extra), nil
}

func requestReader(columns int) func(*sqlfile.Stmt, int64, *RequestRow) bool {
	base := len(requestColumns)
	extra := make([][]byte, columns-base)
	return func(s *sqlfile.Stmt, place int64, r *RequestRow) bool {
		*r = RequestRow{Place: place, Extra: extra, Duration: -1}
		r.Seq, r.HasSeq = integer(s, rSeq)
		r.At, r.Timed = received(s, rReceived)
		r.Client, _, _ = text(s, rClient)
		r.Endpoint, _, _ = text(s, rEndpoint)
		r.Key, _, _ = text(s, rKey)
		r.Method, _, _ = text(s, rMethod)
		r.Node, _, _ = text(s, rNode)
		if t := s.Type(rBody); t == sqlfile.Text || t == sqlfile.Blob {
			r.Body = s.Bytes(rBody)
		}
		if ms, ok := integer(s, rDuration); ok && ms >= 0 && ms <= math.MaxInt64/int64(time.Millisecond) {
			r.Duration = ms
		}
		r.Status, r.Attempts = small(s, rStatus), small(s, rAttempts)
		for i := range extra {
			extra[i], _, _ = text(s, base+i)
		}
		return true
	}
}

func transferReader(columns int) func(*sqlfile.Stmt, int64, *TransferRow) bool {
	base := len(transferColumns)
	extra := make([][]byte, columns-base)
	return func(s *sqlfile.Stmt, place int64, r *TransferRow) bool {
		var row transferRow
		if row.read(s); row.why != "" {
			return false
		}
		*r = TransferRow{Place: place, Seq: row.seq, HasSeq: row.hasSeq, ID: s.Bytes(tID), Amount: row.amount, Created: row.created, Extra: extra}
		r.Key, _, _ = text(s, tKey)
		r.Src, _, _ = text(s, tSrc)
		r.Dst, _, _ = text(s, tDst)
		r.Currency, _, _ = text(s, tCurrency)
		for i := range extra {
			extra[i], _, _ = text(s, base+i)
		}
		return true
	}
}

// lookups is how many places one scanner takes at a time, and dense how many
// rows may lie between two of them for it to read the rows between, too: that
// costs less than to find each anew.
const (
	lookups = 4096
	dense   = 6
)

// readAt reads the rows at some places. In a table without row ids a place is
// the number of a row in the order SQLite has them, so all of it is read.
func readAt[R any](ctx context.Context, in *Incident, number int, places []int64, extra []string, take func(int, *R), read reader[R]) error {
	if len(places) == 0 {
		return nil
	}
	t := &in.tables[number]
	columns, n, err := in.withExtra(ctx, number, extra)
	if err != nil {
		return err
	}
	sql := "SELECT " + columns + ", " + t.rowidOrNull() + " FROM " + t.name
	if t.rowid == "" {
		next, at := picked(places, reading(read(n), take)), int64(-1)
		return in.each(ctx, sql, func(s *sqlfile.Stmt) { at++; next(at, s) })
	}
	sql += " WHERE " + t.rowid + " BETWEEN ?1 AND ?2"
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range scanners {
		group.Go(func() error { return in.lookUp(ctx, sql, n, places, &next, reading(read(n), take)) })
	}
	return group.Wait()
}

// reading hides the kind of row.
func reading[R any](row func(*sqlfile.Stmt, int64, *R) bool, take func(int, *R)) func(int, int64, *sqlfile.Stmt) {
	var r R
	return func(i int, place int64, s *sqlfile.Stmt) {
		if row(s, place, &r) {
			take(i, &r)
		}
	}
}

// picked gives those rows to take that are at one of the places, while the rows
// go by in their order.
func picked(places []int64, take func(int, int64, *sqlfile.Stmt)) func(place int64, s *sqlfile.Stmt) {
	i := 0
	return func(place int64, s *sqlfile.Stmt) {
		for i < len(places) && places[i] < place {
			i++
		}
		for ; i < len(places) && places[i] == place; i++ {
			take(i, place, s)
		}
	}
}

// lookUp is one of several that share the places.
func (in *Incident) lookUp(ctx context.Context, sql string, rowid int, places []int64, next *atomic.Int64, take func(int, int64, *sqlfile.Stmt)) error {
	db, err := in.connect()
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.Query(ctx, sql)
	if err != nil {
		return readError(in.path, err)
	}
	defer s.Close()
	between := func(first, end int) error {
		s.BindInt(1, places[first])
		s.BindInt(2, places[end-1])
		pick := picked(places[first:end], func(i int, place int64, s *sqlfile.Stmt) { take(first+i, place, s) })
		for s.Next() {
			pick(s.Int(rowid), s)
		}
		return readError(in.path, s.Reset())
	}
	for first := int(next.Add(lookups)) - lookups; first < len(places); first = int(next.Add(lookups)) - lookups {
		end := min(first+lookups, len(places))
		step := 1
		if uint64(places[end-1])-uint64(places[first]) < uint64(dense*(end-first)) {
			step = end - first
		}
		for i := first; i < end; i += step {
			if err := between(i, i+step); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// Sources are the files that an import has made the incident of, by their
// source_id; none where it was not imported.
func (in *Incident) Sources(ctx context.Context) (map[string]string, error) {
	db, err := in.connect()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	columns, err := names(ctx, db, "SELECT name FROM pragma_table_xinfo('source') WHERE name IN ('id', 'path')")
	if err != nil || len(columns) != 2 {
		return nil, readError(in.path, err)
	}
	s, err := db.Query(ctx, "SELECT id, path FROM source")
	if err != nil {
		return nil, readError(in.path, err)
	}
	files := map[string]string{}
	for s.Next() {
		files[s.String(0)] = s.String(1)
	}
	return files, readError(in.path, s.Close())
}
