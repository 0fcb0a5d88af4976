package ingest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// ledger is an export of a provider whose columns or members are known.
type ledger struct {
	name, about string
	fixed       Mapping

	// fix completes a transfer, or says with [aside] why a row tells of none. more
	// are the texts at extra, which are nil where a file does not have them; reads
	// tells which fields it reads from where.
	extra []string
	reads map[string]Places
	fix   func(t *Transfer, more [][]byte, r *rules) error
}

// parties names both sides of what a ledger shows from one side only: a customer
// pays. A mapping may give them other names, under [transfers.fixed].
func parties(dst string) map[string]string { return map[string]string{"src": "customer", "dst": dst} }

// reversed turns a transfer around whose amount is negative: money that went back.
func reversed(t *Transfer) {
	if t.Amount < 0 {
		t.Src, t.Dst, t.Amount = t.Dst, t.Src, -t.Amount
	}
}

// rows makes a reader of the rows of l. more is filled before each row is handed
// over.
func (l *ledger) rows(m *Mapping, more [][]byte) (*rowReader, error) {
	var rows *rowReader
	var fix fixes
	if l.fix != nil {
		fix.transfer = func(t *Transfer) error { return l.fix(t, more, rows.transfers.rules) }
	}
	rows, err := newRowReader(Transfers, m.without(l.reads), fix)
	return rows, err
}

// csvLedger is a ledger in CSV.
type csvLedger struct {
	ledger
	marks  [][]string // columns that tell the ledger; any of the lists
	detect func(table *csvHead, m *Mapping) error

	// begins (may be nil) tells the table in a file whose rows begin with their kind:
	// the kind of the header and that of the rows. Others are set aside.
	begins *[2]string
}

// csvHead is the beginning of a table.
type csvHead struct {
	columns []string
	rows    [][]string
}

// values are those of a column in the first rows, without empty ones.
func (h *csvHead) values(column string) (list []string) {
	i := slices.Index(h.columns, column)
	if i < 0 {
		return nil
	}
	for _, row := range h.rows {
		if i < len(row) && row[i] != "" {
			list = append(list, row[i])
		}
	}
	return list
}

func (l *csvLedger) format() *Format {
	return &Format{
		Name: l.name, About: l.about, Roles: []Role{Transfers},
		Sniff: func(head []byte) bool {
			fields, _, ok := header(l.table(head))
			return ok && slices.ContainsFunc(l.marks, func(marks []string) bool { return containsAll(fields, marks) })
		},
		Map: func(head []byte, _ Role, given Mapping) (Mapping, error) {
			table, comma := readHead(l.table(head))
			m := given.Or(l.fixed)
			m.show(l.reads)
			if m.Delimiter == "" {
				m.Delimiter = comma
			}
			m.dropMissing(table.columns)
			if l.detect != nil {
				return m, l.detect(table, &m)
			}
			return m, nil
		},
		Columns: func(head []byte) []string { return headerNames(l.table(head)) },
		Read:    l.read,
	}
}

// table is where the table begins at the beginning of a text.
func (l *csvLedger) table(head []byte) []byte {
	if l.begins == nil {
		return head
	}
	for rest := head; len(rest) > 0; {
		kind := bytes.TrimPrefix(rest, []byte{'"'})
		if bytes.HasPrefix(kind, []byte(l.begins[0])) {
			return rest
		}
		_, rest, _ = bytes.Cut(rest, []byte{'\n'})
	}
	return nil
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

// readHead reads the first rows of a table.
func readHead(head []byte) (*csvHead, string) {
	columns, comma, ok := header(head)
	table := &csvHead{columns: columns}
	if !ok {
		return table, comma
	}
	in := &Input{bytes.NewReader(head)}
	out := &Sink{ctx: context.Background(), batch: &batch{}, send: func(b *batch) (*batch, error) { b.reset(); return b, nil }}
	_ = in.EachRecord(out, comma[0], func(fields [][]byte, n int64) {
		if n > 1 && len(table.rows) < 10*sampled {
			row := make([]string, len(fields))
			for i, f := range fields {
				row[i] = string(bytes.TrimSpace(f))
			}
			table.rows = append(table.rows, row)
		}
	})
	return table, comma
}

func (l *csvLedger) read(in *Input, m *Mapping, out *Sink) error {
	if len(m.Delimiter) != 1 {
		return usage("delimiter %q: it must be one byte", m.Delimiter)
	}
	more := make([][]byte, len(l.extra))
	rows, err := l.rows(m, more)
	if err != nil {
		return err
	}
	t := &ledgerTable{csvLedger: l, rows: rows, more: more, out: out}
	return in.EachRecord(out, m.Delimiter[0], t.record)
}

// ledgerTable is a table being read.
type ledgerTable struct {
	*csvLedger
	rows  *rowReader
	more  [][]byte
	out   *Sink
	width int   // columns; 0 before the header
	at    []int // column of each place of rows, then of extra; -1 for none
}

func (t *ledgerTable) record(fields [][]byte, n int64) {
	text := func() []byte { return bytes.Join(fields, []byte{','}) }
	if t.begins != nil {
		kind := string(bytes.TrimSpace(fields[0]))
		switch {
		case kind == t.begins[0]:
			t.width = 0 // each account has a table of its own
		case kind != t.begins[1] || t.width == 0:
			t.out.Aside(n, text(), "a row of the report itself")
			return
		}
	}
	switch {
	case t.width == 0:
		t.header(fields)
	case len(fields) != t.width:
		t.out.Reject(n, text(), fmt.Errorf("the row has %d fields, the header %d", len(fields), t.width))
	default:
		value := func(i int) []byte {
			if t.at[i] < 0 {
				return nil
			}
			return bytes.TrimSpace(fields[t.at[i]])
		}
		for i := range t.more {
			t.more[i] = value(len(t.rows.places) + i)
		}
		t.rows.hand(t.out, n, text, value)
	}
}

func (t *ledgerTable) header(fields [][]byte) {
	t.width, t.at = len(fields), nil
	for i, name := range slices.Concat(t.rows.places, t.extra) {
		column := slices.IndexFunc(fields, func(f []byte) bool { return string(bytes.TrimSpace(f)) == name })
		if column < 0 && i < len(t.rows.places) {
			t.out.Stop(misfit("there is no column %q; there are %s", name, bytes.Join(fields, []byte(", "))))
		}
		t.at = append(t.at, column)
	}
}

// jsonLedger is a ledger of JSON objects: one a line, an array, or a list as the
// provider's API answers it, in a member of one of the names of lists.
type jsonLedger struct {
	ledger
	knows func(first jsontext.Value) bool
	lists []string
}

func (l *jsonLedger) format() *Format {
	return &Format{
		Name: l.name, About: l.about, Roles: []Role{Transfers},
		Sniff: func(head []byte) bool { return l.knows(firstObject(head, l.lists...)) },
		Map: func(_ []byte, _ Role, given Mapping) (Mapping, error) {
			m := given.Or(l.fixed)
			m.show(l.reads)
			return m, nil
		},
		Read: l.read,
	}
}

func (l *jsonLedger) read(in *Input, m *Mapping, out *Sink) error {
	more := make([][]byte, len(l.extra))
	rows, err := l.rows(m, more)
	if err != nil {
		return err
	}
	finder, err := place.NewFinder(slices.Concat(rows.places, l.extra)...)
	if err != nil {
		return err
	}
	return in.eachObject(out, l.lists, func(object jsontext.Value, n int64) {
		if _, err := finder.Find(object); err != nil {
			out.Reject(n, object, err)
			return
		}
		for i := range more {
			more[i] = finder.Text(len(rows.places) + i)
		}
		rows.hand(out, n, func() []byte { return object }, finder.Text)
	})
}

// isText reports whether the value at a place of an object is one of the texts.
func isText(object jsontext.Value, at string, texts ...string) bool {
	return slices.Contains(texts, string(valueAt(object, at)))
}

// oneOf looks a text up, whatever its case.
func oneOf(text []byte, list ...string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, string(text)) })
}

// settleMinutes settles the layout of local times that are written without seconds,
// where all of the first rows are.
func settleMinutes(table *csvHead, m *Mapping) error {
	const layout = "2006-01-02 15:04"
	places := m.Columns["time"]
	if m.TimeLayout != "" || len(places) == 0 {
		return nil
	}
	values := table.values(places[0])
	if len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return len(v) != len(layout) }) {
		m.TimeLayout = layout
	}
	return nil
}
