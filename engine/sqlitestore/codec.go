package sqlitestore

import (
	"database/sql/driver"
	"fmt"

	"idem/engine"
)

// recordOf reads the columns of record.sql.
func recordOf(key engine.ScopedKey, row []driver.Value) (*engine.Record, error) {
	c := columns{row: row}
	r := &engine.Record{Key: key}
	var known bool
	if r.State, known = engine.ParseState(c.text()); !known {
		c.fail("state")
	}
	fingerprint, err := engine.ParseFingerprint(c.blob())
	if err != nil {
		c.fail("fingerprint")
	}
	r.Fingerprint = fingerprint
	r.Life, r.Fence = engine.Fence(c.integer()), engine.Fence(c.integer())
	r.Attempt = int(c.integer())
	r.ClaimedAt, r.LeaseUntil = engine.InstantOf(c.integer()), engine.InstantOf(c.integer())
	kept := c.blob()
	if r.State == engine.Completed {
		r.CompletedAt = engine.InstantOf(c.integer())
		r.Reply.Status, r.Reply.Reason = int(c.integer()), c.text()
		r.Reply.Header = c.header()
		r.Reply.Body = c.blob()
		r.Reply.NotKept = c.integer() != 0
	}
	if c.bad != "" {
		return nil, fmt.Errorf("%w: %s of the record of key %q", engine.ErrDamaged, c.bad, key.Key)
	}
	if err := r.Check(kept); err != nil {
		return nil, err
	}
	return r, nil
}

// columns reads a row from left to right and remembers what did not fit.
type columns struct {
	row []driver.Value
	bad string
}

func (c *columns) fail(what string) {
	if c.bad == "" {
		c.bad = what
	}
}

// damaged is the error of a row that has something which did not fit.
func (c *columns) damaged(of string) error {
	if c.bad == "" {
		return nil
	}
	return fmt.Errorf("%w: %s of %s", engine.ErrDamaged, c.bad, of)
}

func (c *columns) next() driver.Value {
	v := c.row[0]
	c.row = c.row[1:]
	return v
}

func (c *columns) integer() int64 {
	v := c.next()
	n, ok := v.(int64)
	if !ok {
		c.fail(fmt.Sprintf("an integer column (%v)", v))
	}
	return n
}

// text is a TEXT column, "" for NULL.
func (c *columns) text() string {
	v := c.next()
	s, ok := v.(string)
	if !ok && v != nil {
		c.fail(fmt.Sprintf("a text column (%v)", v))
	}
	return s
}

// blob is a BLOB column, nil for NULL and never nil otherwise.
func (c *columns) blob() []byte {
	v := c.next()
	b, ok := v.([]byte)
	switch {
	case v == nil:
		return nil
	case !ok:
		c.fail(fmt.Sprintf("a blob column (%v)", v))
	case b == nil:
		return []byte{} // how the driver reads an empty blob
	}
	return b
}

func (c *columns) header() []engine.Field {
	fields, err := engine.ParseHeaderText(c.text())
	if err != nil {
		c.fail("header")
	}
	return fields
}

// headerText is the header as it is kept; nil for none.
func headerText(fields []engine.Field) any {
	if text := engine.HeaderText(fields); text != "" {
		return text
	}
	return nil
}
