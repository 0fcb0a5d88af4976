package ingest

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"idem/analysis/ingest/moment"
	"idem/engine/sqlitestore/sqlfile"
)

// store is the database being made. It is one transaction on a file that is
// thrown away when anything fails, so nothing is journalled.
type store struct {
	ctx      context.Context
	db       *sqlfile.DB
	stmts    []*sqlfile.Stmt
	request  *sqlfile.Stmt
	transfer *sqlfile.Stmt
	rejected *sqlfile.Stmt
	seq      int64 // of the last request
	last     int64 // its time
	disorder bool  // requests did not come in the order of time
	text     []byte
}

func createStore(ctx context.Context, path string) (*store, error) {
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.ReadWrite)
	if err != nil {
		return nil, fmt.Errorf("create incident: %w", err)
	}
	s := &store{ctx: ctx, db: db}
	if err := s.open(); err != nil {
		s.close()
		return nil, fmt.Errorf("create incident: %w", err)
	}
	return s, nil
}

func (s *store) open() (err error) {
	if err = s.db.Exec(s.ctx, schema); err != nil {
		return err
	}
	for _, q := range []struct {
		into **sqlfile.Stmt
		sql  string
	}{
		{&s.request, insertRequest},
		{&s.transfer, insertTransfer},
		{&s.rejected, "INSERT INTO reject (source_id, line, aside, reason, text) VALUES (?, ?, ?, ?, ?)"},
	} {
		if *q.into, err = s.prepare(q.sql); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes a statement that lives as long as the store.
func (s *store) prepare(sql string) (*sqlfile.Stmt, error) {
	stmt, err := s.db.Query(s.ctx, sql)
	if err == nil {
		s.stmts = append(s.stmts, stmt)
	}
	return stmt, err
}

func (s *store) close() error {
	for _, stmt := range s.stmts {
		stmt.Close()
	}
	s.stmts = nil
	return s.db.Close()
}

func (s *store) exec(sql string) error { return s.db.Exec(s.ctx, sql) }

// each runs a query and calls do for every row.
func (s *store) each(sql string, do func(*sqlfile.Stmt)) error {
	stmt, err := s.db.Query(s.ctx, sql)
	if err != nil {
		return err
	}
	for stmt.Next() {
		do(stmt)
	}
	return stmt.Close()
}

// number is the first cell of a query.
func (s *store) number(sql string) (n int64, err error) {
	err = s.each(sql, func(row *sqlfile.Stmt) { n = row.Int(0) })
	return n, err
}

// sort numbers the requests anew, in the order of time, where the files did not
// have them so.
func (s *store) sort() error {
	if !s.disorder {
		return nil
	}
	var ddl string
	err := s.each("SELECT sql FROM sqlite_schema WHERE name = 'req_log'", func(row *sqlfile.Stmt) { ddl = row.String(0) })
	if err != nil {
		return err
	}
	return s.exec(strings.Replace(ddl, "req_log", "sorted", 1) + `;
	  INSERT INTO sorted (` + requestColumns + `) SELECT ` + requestColumns + ` FROM req_log ORDER BY at_ns, source_id, line;
	  DROP TABLE req_log;
	  ALTER TABLE sorted RENAME TO req_log`)
}

// requestColumns are all but seq.
const requestColumns = `received_at, client_id, endpoint, idem_key, body, duration_ms, status, method,
  node, attempts, source_id, line, at_ns, kind, request_ref, key_raw, body_key, reference, body_from, body_received, query,
  upstreams, retry, replayed, trace_id, note`

const insertRequest = "INSERT INTO req_log (seq, " + requestColumns + `)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (s *store) addRequest(source int64, r *requestRow) error {
	s.seq++
	s.disorder = s.disorder || r.At < s.last
	s.last = r.At
	q := s.request
	q.BindInt(1, s.seq)
	s.bindTime(q, 2, r.At)
	q.BindText(3, orUnknown(r.Client))
	q.BindText(4, orUnknown(r.Endpoint))
	bindText(q, 5, r.Key)
	body, from := bodyOf(r)
	q.BindText(6, body)
	if r.Duration >= 0 {
		q.BindInt(7, r.Duration/1_000_000)
	} else {
		q.BindNull(7)
	}
	bindCount(q, 8, r.Status)
	bindText(q, 9, r.Method)
	bindText(q, 10, r.Node)
	bindCount(q, 11, r.Attempts)
	q.BindInt(12, source)
	q.BindInt(13, r.Line)
	q.BindInt(14, r.At)
	q.BindText(15, string(r.kind))
	for i, text := range [...][]byte{r.Ref, r.keyRaw, r.bodyKey, r.ref} {
		bindText(q, 16+i, text)
	}
	q.BindText(20, from)
	for i, text := range [...][]byte{r.received, r.query, r.Upstreams, r.Retry, r.Replayed, r.Trace, r.Note} {
		bindText(q, 21+i, text)
	}
	return q.Run()
}

// bodyOf is the body that the engine reads, and where it came from.
func bodyOf(r *requestRow) (body, from string) {
	switch {
	case r.Body == nil:
		return "{}", "none"
	case r.received != nil:
		return text(r.Body), "moved"
	}
	return text(r.Body), "log"
}

const insertTransfer = `INSERT INTO transfer_v1 (transfer_id, seq, idem_key, src, dst, amount, currency, created_at, source_id,
  line, at_ns, request_ref, reference, join_kind, join_confidence, ledger_seq, note)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (s *store) addTransfer(source int64, t *Transfer, j *join) error {
	q := s.transfer
	q.BindText(1, text(t.ID))
	if j.kind == "" {
		q.BindNull(2)
	} else {
		q.BindInt(2, j.seq)
	}
	key := t.Key
	if len(key) == 0 {
		key = j.key
	}
	bindText(q, 3, key)
	q.BindText(4, text(t.Src))
	q.BindText(5, text(t.Dst))
	q.BindInt(6, t.Amount)
	q.BindText(7, text(t.Currency))
	s.bindTime(q, 8, t.At)
	q.BindInt(9, source)
	q.BindInt(10, t.Line)
	q.BindInt(11, t.At)
	bindText(q, 12, t.Request)
	bindText(q, 13, t.Ref)
	bindString(q, 14, j.kind)
	bindString(q, 15, j.confidence)
	bindCount(q, 16, t.Seq)
	bindText(q, 17, t.Note)
	return q.Run()
}

func (s *store) addReject(source int64, r *reject) error {
	q := s.rejected
	q.BindInt(1, source)
	q.BindInt(2, r.line)
	q.BindInt(3, 0)
	if r.aside {
		q.BindInt(3, 1)
	}
	q.BindText(4, r.reason)
	q.BindText(5, text(r.text))
	return q.Run()
}

func (s *store) bindTime(q *sqlfile.Stmt, i int, ns int64) {
	s.text = moment.Append(s.text[:0], ns)
	q.BindText(i, text(s.text))
}

// text is b as a string that shares its memory: SQLite copies it at once.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func bindText(q *sqlfile.Stmt, i int, b []byte) {
	if len(b) == 0 {
		q.BindNull(i)
		return
	}
	q.BindText(i, text(b))
}

func bindString(q *sqlfile.Stmt, i int, s string) {
	if s == "" {
		q.BindNull(i)
		return
	}
	q.BindText(i, s)
}

func bindCount(q *sqlfile.Stmt, i int, n int64) {
	if n == 0 {
		q.BindNull(i)
		return
	}
	q.BindInt(i, n)
}

// orUnknown: a client or endpoint that the log does not show is one of its own.
func orUnknown(b []byte) string {
	if len(b) == 0 {
		return "unknown"
	}
	return text(b)
}
