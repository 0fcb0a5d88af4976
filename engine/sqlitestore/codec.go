package sqlitestore

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"idem/engine"
)

var (
	earliest = time.Unix(0, math.MinInt64).UTC()
	latest   = time.Unix(0, math.MaxInt64).UTC()
)

// nanos is t in unix nanoseconds. Go's own conversion would wrap around.
func nanos(t time.Time) (int64, error) {
	if t.Before(earliest) || t.After(latest) {
		return 0, fmt.Errorf("%w: %s", ErrTime, engine.FormatInstant(t))
	}
	return t.UnixNano(), nil
}

// clamped is t in unix nanoseconds, or the nearest that there is: good enough
// for comparing with what is stored, which is in range.
func clamped(t time.Time) int64 {
	switch {
	case t.Before(earliest):
		return math.MinInt64
	case t.After(latest):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func instant(n int64) time.Time { return time.Unix(0, n).UTC() }

// utc is t as it comes back from the store: in UTC, without a monotonic part.
func utc(t time.Time) time.Time { return t.UTC().Round(0) }

// claimTimes are the times of a record that its claim sets.
func claimTimes(r *engine.Record) (claimed, lease int64, err error) {
	if claimed, err = nanos(r.ClaimedAt); err != nil {
		return 0, 0, fmt.Errorf("claimed at: %w", err)
	}
	if lease, err = nanos(r.LeaseUntil); err != nil {
		return 0, 0, fmt.Errorf("end of lease: %w", err)
	}
	return claimed, lease, nil
}

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
	r.ClaimedAt, r.LeaseUntil = instant(c.integer()), instant(c.integer())
	if r.State == engine.Completed {
		r.CompletedAt = instant(c.integer())
		r.Reply.Status, r.Reply.Reason = int(c.integer()), c.text()
		r.Reply.Header = c.header()
		r.Reply.Body = c.blob()
		r.Reply.NotKept = c.integer() != 0
	}
	if c.bad != "" {
		return nil, fmt.Errorf("%w: %s of the record of key %q", ErrDamaged, c.bad, key.Key)
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
	return fmt.Errorf("%w: %s of %s", ErrDamaged, c.bad, of)
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
	fields, err := decodeHeader(c.text())
	if err != nil {
		c.fail("header")
	}
	return fields
}

// bytesMark is the third element of a header field whose value is no UTF-8:
// HTTP allows any byte there and JSON does not, so each byte stands as the code
// point of its number.
const bytesMark = "bytes"

// encodeHeader writes the lines in their order as JSON; nil for none.
func encodeHeader(fields []engine.Field) any {
	if len(fields) == 0 {
		return nil
	}
	lines := make([][]string, len(fields))
	for i, f := range fields {
		lines[i] = []string{f.Name, f.Value}
		if !utf8.ValidString(f.Name) || !utf8.ValidString(f.Value) {
			lines[i] = []string{codePoints(f.Name), codePoints(f.Value), bytesMark}
		}
	}
	text, err := json.Marshal(lines)
	if err != nil {
		panic("sqlitestore: strings do not marshal: " + err.Error())
	}
	return string(text)
}

func decodeHeader(text string) ([]engine.Field, error) {
	if text == "" {
		return nil, nil
	}
	var lines [][]string
	if err := json.Unmarshal([]byte(text), &lines); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	fields := make([]engine.Field, len(lines))
	for i, line := range lines {
		switch {
		case len(line) == 2:
			fields[i] = engine.Field{Name: line[0], Value: line[1]}
		case len(line) == 3 && line[2] == bytesMark:
			fields[i] = engine.Field{Name: rawBytes(line[0]), Value: rawBytes(line[1])}
		default:
			return nil, ErrDamaged
		}
	}
	return fields, nil
}

func codePoints(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

func rawBytes(s string) string {
	var raw []byte
	for _, r := range s {
		raw = append(raw, byte(r))
	}
	return string(raw)
}
