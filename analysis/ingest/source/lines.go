package source

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine is how long a line may be, in bytes.
const MaxLine = 16 << 20

// ErrTooLong: a line is longer than MaxLine. Its beginning is given, the rest
// was skipped, and reading goes on behind it.
var ErrTooLong = errors.New("the line is longer than 16 MiB")

// Lines splits a text into lines. The zero value is not usable: see NewLines.
type Lines struct {
	in         io.Reader
	buf        []byte
	start, end int
	n          int64
	err        error // of in, given after what was read before it
}

// NewLines reads lines from in.
func NewLines(in io.Reader) *Lines { return &Lines{in: in, buf: make([]byte, 128<<10)} }

// Next is the next line without its LF or CRLF, and its number from 1. The last
// line need not have an end. It is valid until the next call. After the last
// line the error is io.EOF; with ErrTooLong there may be more.
func (l *Lines) Next() (line []byte, n int64, err error) {
	searched := 0
	for {
		if i := bytes.IndexByte(l.buf[l.start+searched:l.end], '\n'); i >= 0 {
			line = l.buf[l.start : l.start+searched+i]
			l.start += searched + i + 1
			l.n++
			if len(line) > MaxLine {
				return line[:keptOfLong], l.n, ErrTooLong
			}
			return trimCR(line), l.n, nil
		}
		searched = l.end - l.start
		if searched > MaxLine {
			return l.skip()
		}
		if l.err != nil {
			return l.last()
		}
		l.fill()
	}
}

// fill reads on, with room made by moving or growing.
func (l *Lines) fill() {
	if l.start > 0 {
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.in.Read(l.buf[l.end:])
	l.end += n
	l.err = err
}

// last gives what stands behind the last line end.
func (l *Lines) last() ([]byte, int64, error) {
	if l.start == l.end || l.err != io.EOF {
		return nil, l.n, l.err
	}
	line := l.buf[l.start:l.end]
	l.start = l.end
	l.n++
	return trimCR(line), l.n, nil
}

// keptOfLong is how much of a line that is too long is given.
const keptOfLong = 1024

// skip throws a line away that is too long.
func (l *Lines) skip() ([]byte, int64, error) {
	l.n++
	kept := bytes.Clone(l.buf[l.start : l.start+keptOfLong])
	for {
		if i := bytes.IndexByte(l.buf[l.start:l.end], '\n'); i >= 0 {
			l.start += i + 1
			return kept, l.n, ErrTooLong
		}
		l.start, l.end = 0, 0
		if l.err != nil {
			return kept, l.n, ErrTooLong
		}
		l.fill()
	}
}

func trimCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
