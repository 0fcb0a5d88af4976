package analysis

import (
	"context"
	"iter"
	"math"
	"time"

	"idem/engine/sqlitestore/sqlfile"
)

// Requests gives the rows of req_log in the order of their seq, each with the
// transfers it caused. from is the position of the first one, counted from 1.
// Rows whose seq is no integer come last and are unusable: no row is left out.
//
// Both tables are read side by side, so memory does not grow with the day.
// After an error there are no more rows.
func (in *Incident) Requests(ctx context.Context, from int64) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		err := in.eachRequest(ctx, max(from, 1), func(r *Request) bool { return yield(*r, nil) })
		if err != nil {
			yield(Request{}, err)
		}
	}
}

// eachRequest calls do for each request until it is false.
func (in *Incident) eachRequest(ctx context.Context, from int64, do func(*Request) bool) error {
	c, err := in.openCursor(ctx, from)
	if err != nil {
		return err
	}
	defer c.close()
	for c.next() {
		if !do(&c.row) {
			return nil
		}
	}
	return readError(in.path, c.err())
}

// RequestCount is the number of rows of req_log.
func (in *Incident) RequestCount(ctx context.Context) (int64, error) {
	return in.count(ctx, &in.tables[requestTable])
}

// RequestsAtMost is a bound of RequestCount that is had at once, whatever the
// file's length: the span of the row ids, which is exact where none was deleted.
// Only a table without row ids is counted.
func (in *Incident) RequestsAtMost(ctx context.Context) (rows int64, err error) {
	t := &in.tables[requestTable]
	if t.rowid == "" {
		return in.count(ctx, t)
	}
	err = in.each(ctx, t.rowidEnds(), func(s *sqlfile.Stmt) {
		if s.Type(0) != sqlfile.Null {
			rows = spanOf(s.Int(0), s.Int(1))
		}
	})
	return rows, err
}

// spanOf is how many integers there are from low to high, or MaxInt64.
func spanOf(low, high int64) int64 {
	if ids := uint64(high) - uint64(low); ids < math.MaxInt64 {
		return int64(ids) + 1
	}
	return math.MaxInt64
}

// Accounts are the balances before the day, sorted by id. Rows without an id
// or an integer balance are left out; Duplicates lists them as bad.
func (in *Incident) Accounts(ctx context.Context) ([]Account, error) {
	var list []Account
	err := in.eachAccount(ctx, func(a Account, bad *BadRow) {
		if bad == nil {
			list = append(list, a)
		}
	})
	return list, err
}

// each runs one query on a connection of its own.
func (in *Incident) each(ctx context.Context, sql string, row func(*sqlfile.Stmt), args ...int64) error {
	db, err := in.connect()
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.Query(ctx, sql)
	if err != nil {
		return readError(in.path, err)
	}
	for i, v := range args {
		s.BindInt(i+1, v)
	}
	for s.Next() {
		row(s)
	}
	return readError(in.path, s.Close())
}

// requestSelect is the SELECT list that Request.read understands.
func (t *table) requestSelect() string {
	return t.list(rSeq, rReceived, rClient, rEndpoint, rKey, rBody, rDuration, rStatus, rMethod, rNode, rAttempts)
}

// transferSelect is the SELECT list that transferRow.read understands.
func (t *table) transferSelect() string {
	return t.list(tID, tSeq, tKey, tSrc, tDst, tAmount, tCurrency, tCreated)
}

// cursor is the merge join of req_log and transfer_v1, both in seq order.
type cursor struct {
	in        *Incident
	ctx       context.Context
	db        *sqlfile.DB
	usable    *sqlfile.Stmt // requests with a seq
	seqless   *sqlfile.Stmt // requests without one
	transfers *sqlfile.Stmt // opened at the seq of the first request
	ahead     transferRow   // the transfer read but not yet given away
	more      bool          // ahead is one
	last      int64         // seq of the row before
	any       bool          // there was one
	row       Request
	body      []byte
	names     interner
	failed    error
}

func (in *Incident) openCursor(ctx context.Context, from int64) (*cursor, error) {
	by, err := in.orderBy(ctx, requestTable, rSeq)
	if err != nil {
		return nil, err
	}
	db, err := in.connect()
	if err != nil {
		return nil, err
	}
	c := &cursor{in: in, ctx: ctx, db: db}
	if err := c.open(by, from); err != nil {
		c.close()
		return nil, readError(in.path, err)
	}
	return c, nil
}

// open places the cursor before position from. It begins one row earlier and
// drops that one: whether a row repeats a seq, only the row before can tell.
func (c *cursor) open(by string, from int64) (err error) {
	t := &c.in.tables[requestTable]
	skip := max(from-2, 0)
	if err := c.openUsable(t, by, skip); err != nil {
		return err
	}
	seqless := "SELECT " + t.requestSelect() + " FROM " + t.name + " WHERE " + t.seqless()
	if c.seqless, err = c.db.Query(c.ctx, seqless); err != nil {
		return err
	}
	c.row.N = skip
	if err := c.passSeqless(t, skip); err != nil || from == 1 {
		return err
	}
	c.next()
	return c.err()
}

// openUsable opens the requests with a seq behind the first skip ones.
func (c *cursor) openUsable(t *table, by string, skip int64) error {
	var last int64
	var dense bool
	if skip > 0 { // a reading from the first row on need not know
		var err error
		if last, dense, err = c.in.lastOf(c.ctx, skip); err != nil {
			return err
		}
	}
	sql := "SELECT " + t.requestSelect() + " FROM " + t.name + " WHERE " + t.seq.usable
	if dense {
		sql, skip = sql+" AND "+t.seq.value+" > ?1 ORDER BY "+by, last
	} else {
		sql += " ORDER BY " + by + " LIMIT -1 OFFSET ?1"
	}
	s, err := c.db.Query(c.ctx, sql)
	if err == nil {
		c.usable = s
		s.BindInt(1, skip)
	}
	return err
}

// passSeqless skips rows without a seq, where more rows are to be skipped than
// have one.
func (c *cursor) passSeqless(t *table, skip int64) error {
	if skip == 0 || t.seq.usable == everyRow {
		return nil
	}
	var usable int64
	sql := "SELECT count(*) FROM " + t.name + " WHERE " + t.seq.usable
	if err := c.in.each(c.ctx, sql, func(s *sqlfile.Stmt) { usable = s.Int(0) }); err != nil {
		return err
	}
	for ; skip > usable && c.seqless.Next(); skip-- {
	}
	return c.seqless.Err()
}

// orderBy is the ORDER BY list that gives the usable rows of a table in seq
// order at the least cost.
func (in *Incident) orderBy(ctx context.Context, number, seq int) (string, error) {
	t := &in.tables[number]
	if t.seq.indexed {
		return t.seq.by, nil
	}
	clustered, err := in.clustered(ctx, number, seq)
	if clustered {
		return t.rowid, err
	}
	return t.seq.by, err
}

// openTransfers opens the transfers from a seq on.
func (c *cursor) openTransfers(seq int64) error {
	by, err := c.in.orderBy(c.ctx, transferTable, tSeq)
	if err != nil {
		return err
	}
	c.transfers, err = c.in.transfersFrom(c.ctx, c.db, by, seq)
	return err
}

// transfersFrom reads transfer_v1 from a seq on, in the order by orderBy.
func (in *Incident) transfersFrom(ctx context.Context, db *sqlfile.DB, by string, seq int64) (*sqlfile.Stmt, error) {
	t := &in.tables[transferTable]
	where, start := t.seq.value+" >= ?1", seq
	if by == t.rowid {
		var err error
		where = t.rowid + " >= ?1"
		if start, err = firstAt(ctx, db, t, seq); err != nil {
			return nil, err
		}
	}
	s, err := db.Query(ctx, "SELECT "+t.transferSelect()+" FROM "+t.name+" WHERE "+t.seq.usable+" AND "+where+" ORDER BY "+by)
	if err == nil {
		s.BindInt(1, start)
	}
	return s, err
}

func (c *cursor) close() {
	for _, s := range []*sqlfile.Stmt{c.usable, c.seqless, c.transfers} {
		if s != nil {
			s.Close()
		}
	}
	c.db.Close()
}

func (c *cursor) err() error {
	for _, s := range []*sqlfile.Stmt{c.usable, c.seqless, c.transfers} {
		if s != nil && s.Err() != nil {
			return s.Err()
		}
	}
	return c.failed
}

// next reads the next request into c.row.
func (c *cursor) next() bool {
	s := c.usable
	if !s.Next() {
		if s.Err() != nil {
			return false
		}
		if s = c.seqless; !s.Next() {
			return false
		}
	}
	n := c.row.N + 1
	c.body = c.row.read(s, &c.names, c.body[:0])
	c.row.N = n
	if s == c.usable {
		c.attach()
	}
	return c.err() == nil
}

// read fills r from the row s stands on, all but its position and transfers.
// Its body is appended to room, which is returned.
func (r *Request) read(s *sqlfile.Stmt, names *interner, room []byte) []byte {
	*r = Request{}
	raw, _, _ := text(s, rReceived)
	r.RawTime = string(raw)
	if ns, ok := parseInstant(raw); ok {
		r.ReceivedAt = instant(ns)
	}
	r.ClientID, r.Endpoint = names.text(s, rClient), names.text(s, rEndpoint)
	if key, absent, ok := text(s, rKey); ok {
		r.Key, r.NullKey = string(key), absent
	} else {
		r.BadKey = shown(s, rKey)
	}
	r.Body, r.NullBody = append(room, s.Bytes(rBody)...), s.Type(rBody) == sqlfile.Null
	if ms, ok := integer(s, rDuration); ok && ms >= 0 && ms <= math.MaxInt64/int64(time.Millisecond) {
		r.Duration, r.HasDur = time.Duration(ms)*time.Millisecond, true
	}
	r.Status, r.Attempts = small(s, rStatus), small(s, rAttempts)
	r.Method, r.Node = names.text(s, rMethod), names.text(s, rNode)
	column, why := badRequest(s)
	var ok bool
	if r.Seq, ok = integer(s, rSeq); !ok {
		column, why = rSeq, whyInteger
	}
	if why != "" {
		r.Unusable = requestColumns[column] + ": " + why
	}
	return r.Body
}

// attach gives the row the transfers of its seq. Transfers of a seq that was
// passed have no request; of two requests with one seq the first has them.
func (c *cursor) attach() {
	if c.any && c.last == c.row.Seq {
		c.row.Unusable = requestColumns[rSeq] + ": " + whyRepeated
		return
	}
	if !c.any {
		if c.failed = c.openTransfers(c.row.Seq); c.failed != nil {
			return
		}
	}
	c.last, c.any = c.row.Seq, true
	for ; c.peek() && c.ahead.seq <= c.row.Seq; c.more = false {
		switch {
		case c.ahead.seq != c.row.Seq: // of a request that the log lacks
		case c.ahead.why != "":
			c.row.UnusableTransfers++
		default:
			c.row.Transfers = append(c.row.Transfers, c.ahead.transfer(c.transfers, &c.names))
		}
	}
	sortTransfers(c.row.Transfers)
}

// peek makes sure that the next transfer is read.
func (c *cursor) peek() bool {
	if !c.more && c.transfers.Next() {
		c.ahead.read(c.transfers)
		c.more = true
	}
	return c.more
}

// small is an optional integer that fits an int, 0 where there is none.
func small(s *sqlfile.Stmt, i int) int {
	n, ok := integer(s, i)
	if !ok || n < 0 || n > 1<<31-1 {
		return 0
	}
	return int(n)
}

// interner keeps the few texts that come again in nearly every row.
type interner map[string]string

const mostInterned = 4096

// named is the function of that name for such a text.
func (n *interner) named(s *sqlfile.Stmt, i int) string {
	if textual(s, i) {
		return n.text(s, i)
	}
	return shown(s, i)
}

func (n *interner) text(s *sqlfile.Stmt, i int) string {
	b, _, ok := text(s, i)
	if !ok {
		return ""
	}
	return n.one(b)
}

// one is a text of these bytes.
func (n *interner) one(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if known, ok := (*n)[string(b)]; ok {
		return known
	}
	if *n == nil || len(*n) >= mostInterned {
		*n = make(interner)
	}
	v := string(b)
	(*n)[v] = v
	return v
}
