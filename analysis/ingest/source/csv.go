package source

import (
	"bytes"
	"errors"
	"io"
)

// Errors of one CSV record; reading goes on behind it.
var (
	ErrQuoteOpen  = errors.New("a quote is never closed")
	ErrQuoteStray = errors.New("a quote stands inside an unquoted field, or text behind a quoted one")
)

// maxRecord is how far a quoted field may run over line ends before its quote
// counts as never closed, in bytes.
const maxRecord = 1 << 20

// CSV reads records as RFC 4180 writes them, with any one-byte delimiter.
// A record with a stray quote costs that record only: where a quote is never
// closed, its line is refused and the lines behind it are read for themselves.
type CSV struct {
	lines  *Lines
	comma  byte
	fields [][]byte
	text   []byte // a record of several lines, or with quotes in it
	again  []pushed
}

// pushed is a line that is read a second time.
type pushed struct {
	text []byte
	n    int64
	err  error // nil or ErrTooLong
}

// NewCSV reads records with fields parted by comma.
func NewCSV(in io.Reader, comma byte) *CSV { return &CSV{lines: NewLines(in), comma: comma} }

// Next is the next record and the number of its first line. Empty lines are no
// records. The fields are valid until the next call. With an error that is
// neither io.EOF nor of the reader, fields holds the line as one field.
func (c *CSV) Next() (fields [][]byte, n int64, err error) {
	for {
		line, n, err := c.line()
		if err != nil {
			return append(c.fields[:0], line), n, err
		}
		if len(line) == 0 {
			continue
		}
		if bytes.IndexByte(line, '"') < 0 {
			return c.split(line), n, nil
		}
		fields, err := c.quoted(line)
		return fields, n, err
	}
}

func (c *CSV) line() ([]byte, int64, error) {
	if len(c.again) > 0 {
		p := c.again[0]
		c.again = c.again[1:]
		return p.text, p.n, p.err
	}
	return c.lines.Next()
}

// split takes a line without quotes apart.
func (c *CSV) split(line []byte) [][]byte {
	c.fields = c.fields[:0]
	for {
		i := bytes.IndexByte(line, c.comma)
		if i < 0 {
			c.fields = append(c.fields, line)
			return c.fields
		}
		c.fields = append(c.fields, line[:i])
		line = line[i+1:]
	}
}

// quoted reads a record that holds quotes and may go on in the next lines.
func (c *CSV) quoted(line []byte) ([][]byte, error) {
	open := odd(line)
	c.text = append(c.text[:0], line...)
	if !open {
		return c.unquote(line)
	}
	first := bytes.Clone(line)
	var behind []pushed
	for open && len(c.text) <= maxRecord {
		next, n, err := c.line()
		if err != nil && !errors.Is(err, ErrTooLong) {
			break // the reader gives its error again
		}
		c.text = append(append(c.text, '\n'), next...)
		behind = append(behind, pushed{bytes.Clone(next), n, err})
		open = open != odd(next)
	}
	fields, err := append(c.fields[:0], first), ErrQuoteOpen
	if !open {
		fields, err = c.unquote(first)
	}
	if err != nil {
		c.again = append(behind, c.again...)
	}
	return fields, err
}

// odd reports whether a text leaves a quote open: an escaped quote is two.
func odd(text []byte) bool { return bytes.Count(text, []byte{'"'})%2 == 1 }

// unquote takes c.text apart, in place.
func (c *CSV) unquote(line []byte) ([][]byte, error) {
	c.fields = c.fields[:0]
	rest := c.text
	for {
		field, after, ok := c.field(rest)
		if !ok {
			c.fields = append(c.fields[:0], line)
			return c.fields, ErrQuoteStray
		}
		c.fields = append(c.fields, field)
		if after == nil {
			return c.fields, nil
		}
		rest = after
	}
}

// field reads one field; after is nil behind the last one.
func (c *CSV) field(text []byte) (field, after []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		i := bytes.IndexByte(text, c.comma)
		if i < 0 {
			i, after = len(text), nil
		} else {
			after = text[i+1:]
		}
		return text[:i], after, bytes.IndexByte(text[:i], '"') < 0
	}
	text = text[1:]
	for w, r := 0, 0; r < len(text); r++ {
		if text[r] == '"' {
			if r+1 == len(text) {
				return text[:w], nil, true
			}
			switch text[r+1] {
			case '"':
				r++
			case c.comma:
				return text[:w], text[r+2:], true
			default:
				return nil, nil, false
			}
		}
		text[w] = text[r]
		w++
	}
	return nil, nil, false
}
