package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"idem/analysis/ingest/source"
)

// mt940Format is customer statements of SWIFT: MT940, and MT942 of the day
// itself, with or without the blocks of the envelope. Amounts have a decimal
// comma. Of an entry, :61:, the booking date counts where there is one, else the
// value date; some banks write a 30th of February there, which is rejected where
// it is all there is. C and RD (the reversal of a debit) are money that came in,
// D and RC money that went out; EC and ED are expected, and set aside.
//
// Bank references repeat, so an entry is called by account, statement and its
// place in it. Reference and other party come from :86:, where banks structure it
// with ?20 to ?33 or with words such as EREF+.
var mt940Format = &Format{
	Name: "mt940", About: "SWIFT statements MT940 and MT942", Roles: []Role{Transfers},
	Sniff: func(head []byte) bool {
		return bytes.Contains(head, []byte(":20:")) && bytes.Contains(head, []byte(":25")) && bytes.Contains(head, []byte("\n:28C:")) &&
			(bytes.HasPrefix(head, []byte(":")) || bytes.HasPrefix(head, []byte("{1:")) || bytes.HasPrefix(bytes.TrimLeft(head, "\r\n "), []byte(":20:")))
	},
	Map: func(_ []byte, _ Role, given Mapping) (Mapping, error) {
		return given.Or(Mapping{AmountUnit: "major", Decimal: "comma", Fixed: map[string]string{"src": "counterparty"},
			Columns: bankColumns(":61:", ":25:, :28C: and place", ":86: or :61:", ":86:")}), nil
	},
	Read: func(in *Input, m *Mapping, out *Sink) error {
		r, err := m.rules()
		if err != nil {
			return err
		}
		s := &mtReader{rules: r, mapping: m, out: out}
		err = in.EachLine(out, s.line)
		s.flush()
		return err
	},
}

// mtReader puts fields together from lines, and entries from fields.
type mtReader struct {
	rules   *rules
	mapping *Mapping
	out     *Sink

	tag   string
	text  []byte // of the field that is read
	at    int64  // its line
	entry []byte // :61: that waits for its :86:
	line1 int64  // its line

	account, statement, currency []byte
	count                        int
}

// line takes a line: one that begins with a tag ends the field before it.
func (s *mtReader) line(line []byte, n int64) {
	if bytes.HasPrefix(line, []byte("{")) { // the envelope, whose last block may begin the text
		s.flush()
		_, line, _ = bytes.Cut(line, []byte("{4:"))
		if len(line) == 0 {
			return
		}
	}
	if bytes.HasPrefix(line, []byte("-")) && (len(line) == 1 || line[1] == '}') {
		s.flush()
		return
	}
	if end := bytes.IndexByte(line[min(1, len(line)):], ':'); line[0] == ':' && end >= 2 && end <= 3 {
		s.field()
		s.tag, s.text, s.at = string(line[1:end+1]), append(s.text[:0], line[end+2:]...), n
		return
	}
	if s.tag == "" {
		s.out.Reject(n, line, errors.New("the line stands outside of any field"))
		return
	}
	if len(s.text)+len(line) < source.MaxLine {
		s.text = append(append(s.text, '\n'), line...)
	}
}

// flush ends a message.
func (s *mtReader) flush() {
	s.field()
	s.give(nil)
	s.tag = ""
}

// field takes what was read of one field.
func (s *mtReader) field() {
	switch s.tag {
	case "20":
		s.give(nil)
		s.account, s.statement, s.currency, s.count = nil, nil, nil, 0
	case "25", "25P":
		s.account, _, _ = bytes.Cut(bytes.Clone(s.text), []byte{'\n'})
	case "28C", "28":
		s.statement = bytes.Clone(s.text)
	case "60F", "60M":
		if len(s.text) >= 10 {
			s.currency = bytes.Clone(s.text[7:10])
		}
	case "34F":
		if len(s.text) >= 3 {
			s.currency = bytes.Clone(s.text[:3])
		}
	case "61":
		s.give(nil)
		s.entry, s.line1 = bytes.Clone(s.text), s.at
	case "86":
		s.give(s.text) // one behind the balances tells of the statement, and waits for no entry
	case "62F", "62M", "64", "65", "90D", "90C":
		s.give(nil)
	}
	s.tag = ""
}

// give hands over the entry that waits, with its details.
func (s *mtReader) give(details []byte) {
	if s.entry == nil {
		return
	}
	entry := s.entry
	s.entry = nil
	s.count++
	row := bankRow{account: s.account, currency: s.currency, id: joined(s.account, s.statement, number(s.count))}
	e, err := parseMT61(entry)
	if err == nil {
		row.at, err = s.rules.bankTime(e.date)
	}
	if err != nil {
		s.out.refuseRow(s.line1, entry, err)
		return
	}
	row.credit, row.amount, row.ref = e.credit, e.amount, e.ref
	d := parseMT86(details)
	if len(d.ref) > 0 {
		row.ref = d.ref
	}
	row.other, row.note = d.other, joined(e.bankRef, d.note)
	row.hand(s.out, s.rules, s.mapping, s.line1, entry)
}

type mtEntry struct {
	date         []byte
	credit       bool
	amount       []byte
	ref, bankRef []byte
}

var errNoMT61 = errors.New("the entry is not of the form of field 61")

// parseMT61 reads
//
//	value date YYMMDD, booking date MMDD or none, mark C, D, RC, RD, EC or ED, a
//	letter or none, amount with comma, kind of four letters, reference//bank's
func parseMT61(b []byte) (e mtEntry, err error) {
	first, _, _ := bytes.Cut(b, []byte{'\n'})
	if len(first) < 12 || !allDigits(first[:6]) {
		return e, errNoMT61
	}
	value, rest := first[:6], first[6:]
	booked := []byte(nil)
	if allDigits(rest[:4]) {
		booked, rest = rest[:4], rest[4:]
	}
	if e.date, err = mtDate(value, booked); err != nil {
		return e, err
	}
	mark := 1
	if rest[0] == 'R' || rest[0] == 'E' {
		mark = 2
	}
	switch string(rest[:min(mark, len(rest))]) {
	case "C", "RD":
		e.credit = true
	case "D", "RC":
	case "EC", "ED":
		return e, aside("an entry that is only expected")
	default:
		return e, errNoMT61
	}
	rest = rest[mark:]
	if len(rest) > 0 && rest[0] >= 'A' && rest[0] <= 'Z' {
		rest = rest[1:] // the third letter of the currency
	}
	end := 0
	for end < len(rest) && (rest[end]-'0' <= 9 || rest[end] == ',' || rest[end] == '.') {
		end++
	}
	e.amount = rest[:end]
	if rest = rest[end:]; end == 0 || len(rest) < 4 {
		return e, errNoMT61
	}
	e.ref, e.bankRef, _ = bytes.Cut(rest[4:], []byte("//"))
	if string(e.ref) == "NONREF" {
		e.ref = nil
	}
	return e, nil
}

// mtDate is the booking date as ISO has it; its year is the one that brings it
// next to the value date. Where there is none, it is the value date.
func mtDate(value, booked []byte) ([]byte, error) {
	year, _ := strconv.Atoi(string(value[:2]))
	year += 2000
	month, day := value[2:4], value[4:6]
	if booked != nil {
		valueMonth, _ := strconv.Atoi(string(value[2:4]))
		bookedMonth, _ := strconv.Atoi(string(booked[:2]))
		switch {
		case bookedMonth-valueMonth > 6:
			year--
		case valueMonth-bookedMonth > 6:
			year++
		}
		month, day = booked[:2], booked[2:]
	}
	if string(month) == "02" && string(day) == "30" {
		return nil, errors.New("time: the entry has no date but a 30th of February, as banks count days of interest")
	}
	return fmt.Appendf(nil, "%04d-%s-%s", year, month, day), nil
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

type mtDetails struct{ ref, other, note []byte }

// parseMT86 finds reference and other party in the details of an entry.
func parseMT86(b []byte) (d mtDetails) {
	if len(b) == 0 {
		return d
	}
	flat := bytes.ReplaceAll(b, []byte{'\n'}, nil)
	if len(flat) > 3 && flat[3] == '?' {
		var purpose, name []byte
		for field := range bytes.SplitSeq(flat[4:], []byte{'?'}) {
			if len(field) < 2 {
				continue
			}
			switch code, text := string(field[:2]), field[2:]; {
			case code >= "20" && code <= "29" || code >= "60" && code <= "63":
				purpose = append(purpose, text...)
			case code == "31":
				d.other = text
			case code == "32" || code == "33":
				name = append(name, text...)
			}
		}
		if len(d.other) == 0 {
			d.other = name
		}
		flat = purpose
	}
	d.note = flat
	d.ref = sepaWord(flat, "EREF+", "KREF+")
	if len(d.ref) == 0 {
		d.ref = slashWord(flat, "/EREF/")
	}
	if len(d.other) == 0 {
		d.other = slashWord(flat, "/IBAN/")
	}
	return d
}

// sepaWord is what stands behind a word of SEPA's, up to the next one.
func sepaWord(b []byte, words ...string) []byte {
	for _, w := range words {
		_, rest, ok := bytes.Cut(b, []byte(w))
		if !ok {
			continue
		}
		for _, next := range []string{"EREF+", "KREF+", "MREF+", "CRED+", "DEBT+", "SVWZ+", "ABWA+", "IBAN+", "BIC+"} {
			if i := bytes.Index(rest, []byte(next)); i >= 0 {
				rest = rest[:i]
			}
		}
		if rest = bytes.TrimSpace(rest); string(rest) != "NOTPROVIDED" {
			return rest
		}
	}
	return nil
}

func slashWord(b []byte, word string) []byte {
	_, rest, ok := bytes.Cut(b, []byte(word))
	if !ok {
		return nil
	}
	rest, _, _ = bytes.Cut(rest, []byte{'/'})
	if string(rest) == "NOTPROVIDED" {
		return nil
	}
	return bytes.TrimSpace(rest)
}
