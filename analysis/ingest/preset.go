package ingest

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// fixes are what a format does to a row after its columns are filled, before it
// is handed over. An error rejects the row; one made by [aside] sets it aside.
type fixes struct {
	request  func(r *Request) error
	transfer func(t *Transfer) error
}

// aside is the error of a row that is sound, but tells of no request or transfer
// of its own.
func aside(why string) error { return &asideError{why} }

type asideError struct{ why string }

func (a *asideError) Error() string { return a.why }

// refuseRow rejects a row or sets it aside, as err says.
func (s *Sink) refuseRow(line int64, text []byte, err error) {
	if a := new(asideError); errors.As(err, &a) {
		s.Aside(line, text, a.why)
		return
	}
	s.Reject(line, text, err)
}

// jsonPreset makes a format of one JSON object a line, whose members are known.
// Its first line has all the members in marks, which are places as in [place].
func jsonPreset(name, about string, role Role, marks []string, fixed Mapping, fix fixes) *Format {
	return &Format{
		Name: name, About: about, Roles: []Role{role},
		Sniff:   func(head []byte) bool { return hasMembers(head, marks...) },
		Map:     func(_ []byte, _ Role, given Mapping) (Mapping, error) { return given.Or(fixed), nil },
		Columns: leaves,
		Read: func(in *Input, m *Mapping, out *Sink) error {
			return readJSONRows(in, m, out, fix)
		},
	}
}

// csvPreset makes a format of a CSV table whose columns are known. Its header
// has all the columns in marks.
func csvPreset(name, about string, role Role, marks []string, fixed Mapping, fix fixes) *Format {
	return &Format{
		Name: name, About: about, Roles: []Role{role},
		Sniff: func(head []byte) bool {
			fields, _, ok := header(head)
			return ok && containsAll(fields, marks)
		},
		Map: func(head []byte, _ Role, given Mapping) (Mapping, error) {
			fields, comma, _ := header(head)
			m := given.Or(fixed)
			if m.Delimiter == "" {
				m.Delimiter = comma
			}
			m.dropMissing(fields)
			return m, nil
		},
		Columns: headerNames,
		Read: func(in *Input, m *Mapping, out *Sink) error {
			return readCSVRows(in, m, out, fix)
		},
	}
}

// dropMissing takes out columns that a file does not have.
func (m *Mapping) dropMissing(header []string) {
	for field, places := range m.Columns {
		left := slices.DeleteFunc(slices.Clone(places), func(p string) bool { return !slices.Contains(header, p) })
		if len(left) == 0 {
			delete(m.Columns, field)
		} else {
			m.Columns[field] = left
		}
	}
}

func containsAll(list, all []string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !slices.Contains(list, s) })
}

// hasMembers reports whether the first line is a JSON object that has a value at
// every place.
func hasMembers(head []byte, places ...string) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n\t"), []byte{'\n'})
	set, err := place.NewSet(places...)
	if err != nil {
		return false
	}
	values, err := place.NewFinder(set).Find(line)
	return err == nil && !slices.ContainsFunc(values, func(v jsontext.Value) bool { return v == nil })
}
