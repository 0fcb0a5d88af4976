package sqlitestore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
)

// conn is one SQLite connection with its prepared statements, for one goroutine
// at a time. It stands on SQLite's own interface: database/sql would start a
// goroutine for each statement that can be cancelled, box each value twice and
// hide which connection a transaction is on.
type conn struct {
	db    *sqlfile.DB
	stmts map[string]*sqlfile.Stmt
	sum   engine.Checksum // of the record that is being written
}

// connect opens a connection that writes; settings are PRAGMAs, run in their
// order. A file that must not be written is refused before SQLite looks at it: it
// would leave a -wal and a -shm beside it that must not be written either, and
// hold back whoever comes when the file may be written again.
func connect(path string, settings ...string) (*conn, error) {
	db, err := sqlfile.Open(uri(path), sqlfile.ReadWrite)
	if err != nil {
		return nil, err
	}
	if db.ReadOnly() {
		return nil, errors.Join(fmt.Errorf("%w: this user may only read the file", engine.ErrUnavailable), db.Close())
	}
	return set(db, settings...)
}

// connectToRead opens a connection that only reads.
func connectToRead(path string, settings ...string) (*conn, error) {
	db, err := sqlfile.Open(uri(path), sqlfile.ReadWrite)
	if err != nil {
		return nil, err
	}
	return set(db, append(settings, "query_only = ON")...)
}

func set(db *sqlfile.DB, settings ...string) (*conn, error) {
	c := &conn{db: db, stmts: make(map[string]*sqlfile.Stmt)}
	for _, setting := range settings {
		if err := c.script("PRAGMA " + setting); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

// uri names path and no other file: every byte is escaped that would end the
// name or begin a query. The file must exist (see [createFile]).
func uri(path string) string {
	var b strings.Builder
	b.WriteString("file:")
	if strings.HasPrefix(path, "/") {
		b.WriteString("//") // an empty authority, or "//x" would name a host
	} else {
		b.WriteString("./") // or ":memory:" would be no file
	}
	for i := range len(path) {
		if c := path[i]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("/._-~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String() + "?mode=rw"
}

func (c *conn) close() error {
	c.forget()
	return c.db.Close()
}

// forget frees the prepared statements. Their errors were told when they ran.
func (c *conn) forget() {
	for _, s := range c.stmts {
		_ = s.Close()
	}
	clear(c.stmts)
}

// script runs statements separated by semicolons, unprepared.
func (c *conn) script(text string) error { return c.db.Exec(context.Background(), text) }

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(text string, args ...any) (int64, error) {
	s, err := c.bound(text, args)
	if err != nil {
		return 0, err
	}
	if err := s.Run(); err != nil {
		return 0, err
	}
	return c.db.Changes(), nil
}

// query calls each for every row, whose values belong to the caller. each may
// run other statements, but not the same one.
func (c *conn) query(text string, args []any, each func(row []driver.Value) error) error {
	s, err := c.bound(text, args)
	if err != nil {
		return err
	}
	for s.Next() {
		if err := each(values(s)); err != nil {
			return errors.Join(err, s.Reset())
		}
	}
	return s.Reset()
}

// row reads the first row; nil when there is none.
func (c *conn) row(text string, args ...any) (row []driver.Value, err error) {
	s, err := c.bound(text, args)
	if err != nil {
		return nil, err
	}
	if s.Next() {
		row = values(s)
	}
	if err := s.Reset(); err != nil {
		return nil, err
	}
	return row, nil
}

// values copies the present row.
func values(s *sqlfile.Stmt) []driver.Value {
	row := make([]driver.Value, s.Columns())
	for i := range row {
		switch s.Type(i) {
		case sqlfile.Integer:
			row[i] = s.Int(i)
		case sqlfile.Real:
			row[i] = s.Float(i)
		case sqlfile.Text:
			row[i] = s.String(i)
		case sqlfile.Blob:
			row[i] = append([]byte{}, s.Bytes(i)...)
		}
	}
	return row
}

// maxStatements bounds what is kept prepared for strangers' statements.
const maxStatements = 128

func (c *conn) prepared(text string) (*sqlfile.Stmt, error) {
	if s, ok := c.stmts[text]; ok {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		c.forget()
	}
	s, err := c.db.Query(context.Background(), text)
	if err != nil {
		return nil, err
	}
	c.stmts[text] = s
	return s, nil
}

// bound prepares a statement and sets its arguments.
func (c *conn) bound(text string, args []any) (*sqlfile.Stmt, error) {
	s, err := c.prepared(text)
	if err != nil {
		return nil, err
	}
	if n := s.Parameters(); n != len(args) {
		return nil, fmt.Errorf("%d arguments for a statement of %d", len(args), n)
	}
	for i, arg := range args {
		if !bind(s, i+1, arg) {
			err := fmt.Errorf("argument %d is a %T, must be int, int64, float64, bool, string, []byte or nil", i+1, arg)
			return nil, errors.Join(err, s.Reset())
		}
	}
	return s, nil
}

func bind(s *sqlfile.Stmt, i int, arg any) bool {
	switch v := arg.(type) {
	case nil:
		s.BindNull(i)
	case int:
		s.BindInt(i, int64(v))
	case int64:
		s.BindInt(i, v)
	case float64:
		s.BindFloat(i, v)
	case bool:
		s.BindInt(i, number(v))
	case string:
		s.BindText(i, v)
	case []byte:
		if v == nil {
			s.BindNull(i)
		} else {
			s.BindBlob(i, v)
		}
	default:
		return false
	}
	return true
}

// bindable reports whether bind can set arg.
func bindable(arg any) bool {
	switch arg.(type) {
	case nil, int, int64, float64, bool, string, []byte:
		return true
	}
	return false
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
