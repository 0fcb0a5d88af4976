package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// textLog is a request log of one line a request, whose parts stand in a fixed
// order and are known by names of their own.
type textLog struct {
	name, about string
	parts       []string // names, in the order in which parse fills them
	fixed       Mapping

	// parse takes a line apart; parts are valid until the next call. extra parts
	// may follow the named ones, for place.
	parse func(line []byte, parts [][]byte) ([][]byte, error)

	// place gives the index of a part that has no name in parts; nil for none.
	place func(name string) (int, bool)

	// settle (may be nil) refuses what the mapping has to tell and does not.
	settle func(head []byte, m *Mapping) error

	// fix completes a request; reads tells which fields it reads from which parts.
	fix   func(q *Request, parts [][]byte) error
	reads map[string]Places
}

func (l *textLog) format() *Format {
	return &Format{
		Name: l.name, About: l.about, Roles: []Role{Requests},
		Sniff: l.sniff,
		Map: func(head []byte, _ Role, given Mapping) (Mapping, error) {
			m := given.Or(l.fixed)
			m.show(l.reads)
			if l.settle != nil {
				return m, l.settle(head, &m)
			}
			return m, nil
		},
		Columns: func([]byte) []string { return l.parts },
		Read:    l.read,
	}
}

// sniff reports whether one of the first lines is of this log: a process may say
// other things between its requests.
func (l *textLog) sniff(head []byte) bool {
	for range 20 {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if _, err := l.parse(bytes.TrimRight(line, "\r"), nil); err == nil {
			return true
		}
		head = rest
	}
	return false
}

func (l *textLog) read(in *Input, m *Mapping, out *Sink) error {
	var parts [][]byte
	var fix fixes
	if l.fix != nil {
		fix.request = func(q *Request) error { return l.fix(q, parts) }
	}
	rows, err := newRowReader(out.Role(), m.without(l.reads), fix)
	if err != nil {
		return err
	}
	at := make([]int, len(rows.places))
	for i, name := range rows.places {
		if at[i], err = l.index(name); err != nil {
			return err
		}
	}
	return in.EachLine(out, func(line []byte, n int64) {
		if parts, err = l.parse(line, parts[:0]); err != nil {
			out.refuseRow(n, line, err)
			return
		}
		rows.hand(out, n,
			func() []byte { return line },
			func(i int) []byte {
				if at[i] >= len(parts) {
					return nil
				}
				return parts[at[i]]
			})
	})
}

func (l *textLog) index(name string) (int, error) {
	if i := slices.Index(l.parts, name); i >= 0 {
		return i, nil
	}
	if l.place != nil {
		if i, ok := l.place(name); ok {
			return i, nil
		}
	}
	return 0, misfit("a line has no part %q; there are %s", name, strings.Join(l.parts, ", "))
}

// words takes parts off the beginning of a line that is parted by single blanks.
type words struct{ rest []byte }

// next is the word before the next blank.
func (w *words) next() []byte {
	for i, c := range w.rest {
		if c == ' ' {
			word := w.rest[:i]
			w.rest = w.rest[i+1:]
			return word
		}
	}
	word := w.rest
	w.rest = nil
	return word
}

// quoted is the text between the quotes that come next. A backslash keeps the
// byte behind it from ending the text.
func (w *words) quoted() ([]byte, error) {
	if len(w.rest) == 0 || w.rest[0] != '"' {
		return nil, fmt.Errorf("a quote is missing before %.40q", w.rest)
	}
	for i := 1; i < len(w.rest); i++ {
		switch w.rest[i] {
		case '\\':
			i++
		case '"':
			text := w.rest[1:i]
			w.rest = w.rest[i+1:]
			if len(w.rest) > 0 && w.rest[0] == ' ' {
				w.rest = w.rest[1:]
			}
			return text, nil
		}
	}
	return nil, fmt.Errorf("a quote is never closed: %.40q", w.rest)
}
