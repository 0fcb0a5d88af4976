package sqlitestore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"modernc.org/sqlite"
)

// conn is one SQLite connection with its prepared statements, for one goroutine
// at a time. It stands on the driver itself: database/sql would start a
// goroutine for each statement that can be cancelled and hide which connection
// a transaction is on.
type conn struct {
	raw   driver.Conn
	stmts map[string]driver.Stmt
	args  []driver.NamedValue // reused from call to call
}

// connect opens a connection; settings are PRAGMAs, run in their order.
func connect(path string, settings ...string) (*conn, error) {
	raw, err := (&sqlite.Driver{}).Open(uri(path))
	if err != nil {
		return nil, err
	}
	c := &conn{raw: raw, stmts: make(map[string]driver.Stmt)}
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
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	clear(c.stmts)
	return errors.Join(append(errs, c.raw.Close())...)
}

// script runs statements separated by semicolons, unprepared.
func (c *conn) script(text string) error {
	_, err := c.raw.(driver.ExecerContext).ExecContext(context.Background(), text, nil)
	return err
}

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(text string, args ...any) (int64, error) {
	s, err := c.prepared(text)
	if err != nil {
		return 0, err
	}
	bound, err := c.bind(args)
	if err != nil {
		return 0, err
	}
	r, err := s.(driver.StmtExecContext).ExecContext(context.Background(), bound)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// query calls each for every row, whose values belong to the caller.
func (c *conn) query(text string, args []any, each func(row []driver.Value) error) (err error) {
	rows, err := c.rows(text, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		row := make([]driver.Value, len(rows.Columns()))
		switch err := rows.Next(row); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// row reads the first row; nil when there is none.
func (c *conn) row(text string, args ...any) ([]driver.Value, error) {
	rows, err := c.rows(text, args)
	if err != nil {
		return nil, err
	}
	row := make([]driver.Value, len(rows.Columns()))
	err = rows.Next(row)
	if err == io.EOF {
		row, err = nil, nil
	}
	if closed := rows.Close(); err == nil {
		err = closed
	}
	return row, err
}

func (c *conn) rows(text string, args []any) (driver.Rows, error) {
	s, err := c.prepared(text)
	if err != nil {
		return nil, err
	}
	bound, err := c.bind(args)
	if err != nil {
		return nil, err
	}
	return s.(driver.StmtQueryContext).QueryContext(context.Background(), bound)
}

// maxStatements bounds what is kept prepared for strangers' statements.
const maxStatements = 128

func (c *conn) prepared(text string) (driver.Stmt, error) {
	if s, ok := c.stmts[text]; ok {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		for old, s := range c.stmts {
			s.Close()
			delete(c.stmts, old)
		}
	}
	s, err := c.raw.Prepare(text)
	if err != nil {
		return nil, err
	}
	c.stmts[text] = s
	return s, nil
}

// bind brings the arguments into the driver's form.
func (c *conn) bind(args []any) ([]driver.NamedValue, error) {
	for len(c.args) < len(args) {
		c.args = append(c.args, driver.NamedValue{Ordinal: len(c.args) + 1})
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case nil, int64, float64, bool, string, []byte:
			c.args[i].Value = v
		case int:
			c.args[i].Value = int64(v)
		default:
			return nil, fmt.Errorf("argument %d is a %T, must be int, int64, float64, bool, string, []byte or nil", i+1, arg)
		}
	}
	return c.args[:len(args)], nil
}
