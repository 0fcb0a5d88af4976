package ingest

import (
	"bytes"
	"fmt"
	"slices"

	"idem/analysis/ingest/source"
)

// csvFormat is any table in text: a header line, then rows, parted by comma,
// semicolon, tab or bar, quoted as RFC 4180 has it.
var csvFormat = &Format{
	Name:    "csv",
	About:   "CSV with a header line; columns are known by name or mapped",
	Roles:   []Role{Requests, Transfers, Accounts},
	General: true,
	Sniff: func(head []byte) bool {
		fields, _, ok := header(head)
		return ok && len(fields) > 1
	},
	Map: func(head []byte, role Role, given Mapping) (Mapping, error) {
		fields, comma, ok := header(head)
		if !ok {
			return given, misfit("the text does not begin with a header line")
		}
		if given.Delimiter == "" {
			given.Delimiter = comma
		}
		return detect(role, fields, given, func(s string) string { return s })
	},
	Columns: headerNames,
	Read:    readCSV,
}

func headerNames(head []byte) []string {
	fields, _, _ := header(head)
	return fields
}

var delimiters = []string{",", ";", "\t", "|"}

// header reads the first line: the delimiter is the one that parts it most.
func header(head []byte) (fields []string, delimiter string, ok bool) {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	best := 0
	for _, d := range delimiters {
		if n := bytes.Count(line, []byte(d)); n > best {
			best, delimiter = n, d
		}
	}
	if best == 0 {
		return nil, "", false
	}
	record, _, err := source.NewCSV(bytes.NewReader(line), delimiter[0]).Next()
	if err != nil {
		return nil, "", false
	}
	for _, f := range record {
		name := string(bytes.TrimSpace(f))
		if name == "" || slices.Contains(fields, name) || bytes.ContainsAny(f, "{}") {
			return nil, "", false
		}
		fields = append(fields, name)
	}
	return fields, delimiter, true
}

func readCSV(in *Input, m *Mapping, out *Sink) error { return readCSVRows(in, m, out, fixes{}) }

func readCSVRows(in *Input, m *Mapping, out *Sink, fix fixes) error {
	if len(m.Delimiter) != 1 {
		return usage("delimiter %q: it must be one byte", m.Delimiter)
	}
	rows, err := newRowReader(out.Role(), m, fix)
	if err != nil {
		return err
	}
	t := &csvTable{rows: rows, out: out}
	err = in.EachRecord(out, m.Delimiter[0], t.record)
	if err == nil && t.err != nil {
		err = t.err
	}
	return err
}

// csvTable is a table being read.
type csvTable struct {
	rows   *rowReader
	out    *Sink
	width  int   // columns; 0 before the header
	places []int // column of each place
	err    error
}

func (t *csvTable) record(fields [][]byte, n int64) {
	if t.width == 0 {
		t.header(fields)
		return
	}
	if len(fields) != t.width {
		t.out.Reject(n, bytes.Join(fields, []byte{','}), fmt.Errorf("the row has %d fields, the header %d", len(fields), t.width))
		return
	}
	t.rows.hand(t.out, n,
		func() []byte { return bytes.Join(fields, []byte{','}) },
		func(i int) []byte { return fields[t.places[i]] })
}

func (t *csvTable) header(fields [][]byte) {
	t.width = len(fields)
	for _, place := range t.rows.places {
		i := slices.IndexFunc(fields, func(f []byte) bool { return string(bytes.TrimSpace(f)) == place })
		if i < 0 {
			t.err = misfit("there is no column %q; there are %s", place, bytes.Join(fields, []byte(", ")))
			t.out.Stop(t.err)
			return
		}
		t.places = append(t.places, i)
	}
}
