package sqlfile

import (
	"context"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Type is the storage class of one cell.
type Type int32

// The storage classes of SQLite.
const (
	Integer Type = sqlite3.SQLITE_INTEGER
	Real    Type = sqlite3.SQLITE_FLOAT
	Text    Type = sqlite3.SQLITE_TEXT
	Blob    Type = sqlite3.SQLITE_BLOB
	Null    Type = sqlite3.SQLITE_NULL
)

// Stmt is a prepared statement: bind, step through the rows, close.
// Columns count from 0, parameters from 1, as in SQLite.
type Stmt struct {
	db    *DB
	stmt  uintptr
	ctx   context.Context
	lift  func()
	err   error
	begun bool    // a step was made since the last Reset
	done  bool    // SQLite would begin anew
	row   uintptr // address of the first cell, 0 until it is asked for

	columns, parameters int
	// Bound texts live in buf, outside of Go's heap, until the next Reset, so
	// that a million inserts allocate nothing.
	buf       uintptr
	size, use int
	retired   []uintptr
}

// Query prepares sql. The end of ctx interrupts it wherever it is.
func (d *DB) Query(ctx context.Context, sql string) (*Stmt, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	csql, err := libc.CString(sql)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(d.tls, csql)
	if rc := sqlite3.Xsqlite3_prepare_v2(d.tls, d.db, csql, int32(len(sql)+1), d.word, 0); rc != sqlite3.SQLITE_OK {
		return nil, d.fail(ctx, rc)
	}
	stmt := *(*uintptr)(pointer(d.word))
	return &Stmt{db: d, stmt: stmt, ctx: ctx, lift: d.interruptOn(ctx),
		columns:    int(sqlite3.Xsqlite3_column_count(d.tls, stmt)),
		parameters: int(sqlite3.Xsqlite3_bind_parameter_count(d.tls, stmt))}, nil
}

// Next steps to the next row. It is false at the end and after an error.
func (s *Stmt) Next() bool {
	if s.err != nil || s.done {
		return false
	}
	if !s.begun {
		if s.err = context.Cause(s.ctx); s.err != nil {
			return false
		}
		s.begun = true
	}
	s.row = 0
	switch rc := sqlite3.Xsqlite3_step(s.db.tls, s.stmt); rc {
	case sqlite3.SQLITE_ROW:
		return true
	case sqlite3.SQLITE_DONE:
		s.done = true
		s.err = s.db.readError() // some statements, such as an integrity check, end well all the same
		return false
	default:
		s.err = s.db.fail(s.ctx, rc)
		return false
	}
}

// Err is what ended the rows early, nil at their regular end.
func (s *Stmt) Err() error { return s.err }

// Run executes a statement without rows and makes it ready for the next one.
func (s *Stmt) Run() error {
	s.Next()
	return s.Reset()
}

// Reset makes the statement ready to run again; bound values are kept by
// SQLite only until they are bound anew, which the caller does for each.
func (s *Stmt) Reset() error {
	sqlite3.Xsqlite3_reset(s.db.tls, s.stmt)
	s.use, s.done, s.begun = 0, false, false
	s.free()
	err := s.err
	s.err = nil
	return err
}

// Close frees the statement and gives its error, if it had one.
func (s *Stmt) Close() error {
	if s.stmt == 0 {
		return s.err
	}
	s.lift()
	sqlite3.Xsqlite3_finalize(s.db.tls, s.stmt)
	s.stmt = 0
	s.retire()
	s.free()
	return s.err
}

// The cells of a row lie side by side, so the address of the first one is all
// that is asked for. What a cell holds is read from it directly: the text
// functions of the C interface would first copy each text behind its page to
// end it with a zero byte, which is half of the time of a scan.

const cellSize = unsafe.Sizeof(sqlite3.Tsqlite3_value{})

// cell is column i, as SQLite holds it until the next step.
func (s *Stmt) cell(i int) *sqlite3.Tsqlite3_value {
	if s.row == 0 {
		s.row = sqlite3.Xsqlite3_column_value(s.db.tls, s.stmt, 0)
	}
	return (*sqlite3.Tsqlite3_value)(pointer(s.row + uintptr(i)*cellSize))
}

// Type is the storage class of column i, before any conversion.
func (s *Stmt) Type(i int) Type {
	return Type(sqlite3.Xsqlite3_value_type(s.db.tls, uintptr(unsafe.Pointer(s.cell(i)))))
}

// Int is column i as an integer.
func (s *Stmt) Int(i int) int64 {
	if c := s.cell(i); c.Fflags&sqlite3.MEM_Int != 0 {
		return *(*int64)(unsafe.Pointer(&c.Fu))
	}
	return sqlite3.Xsqlite3_column_int64(s.db.tls, s.stmt, int32(i))
}

// Bytes are the bytes of column i: of a BLOB its own, of anything else its
// text in UTF-8. They belong to SQLite and are valid until the next step; nil
// when NULL.
func (s *Stmt) Bytes(i int) []byte {
	c := s.cell(i)
	p, n := c.Fz, c.Fn
	switch text := c.Fflags&sqlite3.MEM_Str != 0; {
	case text && c.Fenc == sqlite3.SQLITE_UTF8:
	case !text && c.Fflags&(sqlite3.MEM_Blob|sqlite3.MEM_Zero) == sqlite3.MEM_Blob:
	case c.Fflags&sqlite3.MEM_Blob != 0:
		p = sqlite3.Xsqlite3_column_blob(s.db.tls, s.stmt, int32(i))
		n = sqlite3.Xsqlite3_column_bytes(s.db.tls, s.stmt, int32(i))
	default:
		p = sqlite3.Xsqlite3_column_text(s.db.tls, s.stmt, int32(i))
		n = sqlite3.Xsqlite3_column_bytes(s.db.tls, s.stmt, int32(i))
	}
	if p == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(pointer(p)), n)
}

// String is a copy of Bytes.
func (s *Stmt) String(i int) string { return string(s.Bytes(i)) }

// Declared is the declared type of column i, "" for an expression.
func (s *Stmt) Declared(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_column_decltype(s.db.tls, s.stmt, int32(i)))
}

// Float is column i as a floating-point number.
func (s *Stmt) Float(i int) float64 {
	return sqlite3.Xsqlite3_column_double(s.db.tls, s.stmt, int32(i))
}

// Columns is the number of columns of a row.
func (s *Stmt) Columns() int { return s.columns }

// Parameters is the number of parameters.
func (s *Stmt) Parameters() int { return s.parameters }

// BindFloat sets parameter i.
func (s *Stmt) BindFloat(i int, v float64) {
	s.bound(sqlite3.Xsqlite3_bind_double(s.db.tls, s.stmt, int32(i), v))
}

// BindInt sets parameter i.
func (s *Stmt) BindInt(i int, v int64) {
	s.bound(sqlite3.Xsqlite3_bind_int64(s.db.tls, s.stmt, int32(i), v))
}

// BindNull sets parameter i to NULL.
func (s *Stmt) BindNull(i int) {
	s.bound(sqlite3.Xsqlite3_bind_null(s.db.tls, s.stmt, int32(i)))
}

// BindText sets parameter i to a copy of v, kept until the next Reset.
func (s *Stmt) BindText(i int, v string) {
	if p := s.keep(v); p != 0 {
		s.bound(sqlite3.Xsqlite3_bind_text(s.db.tls, s.stmt, int32(i), p, int32(len(v)), 0))
	}
}

// BindBlob sets parameter i to a copy of v, kept until the next Reset.
func (s *Stmt) BindBlob(i int, v []byte) {
	if p := s.keep(unsafe.String(unsafe.SliceData(v), len(v))); p != 0 {
		s.bound(sqlite3.Xsqlite3_bind_blob(s.db.tls, s.stmt, int32(i), p, int32(len(v)), 0))
	}
}

func (s *Stmt) bound(rc int32) {
	if rc != sqlite3.SQLITE_OK && s.err == nil {
		s.err = s.db.err(rc)
	}
}

// keep copies v outside of Go's heap; 0 when there is no memory. A buffer that grew too small still holds
// bound texts, so it is retired at the next Reset and not before.
func (s *Stmt) keep(v string) uintptr {
	if need := s.use + len(v) + 1; s.buf == 0 || need > s.size {
		s.size = max(2*s.size, len(v)+1, 4096)
		buf := libc.Xmalloc(s.db.tls, libc.Tsize_t(s.size))
		if buf == 0 {
			s.err = errMemory
			return 0
		}
		s.retire()
		s.buf, s.use = buf, 0
	}
	p := s.buf + uintptr(s.use)
	copy(unsafe.Slice((*byte)(pointer(p)), len(v)+1), v)
	s.use += len(v) + 1
	return p
}

func (s *Stmt) retire() {
	if s.buf != 0 {
		s.retired = append(s.retired, s.buf)
		s.buf = 0
	}
}

func (s *Stmt) free() {
	for _, p := range s.retired {
		libc.Xfree(s.db.tls, p)
	}
	s.retired = s.retired[:0]
}
