package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"idem/analysis"
	"idem/analysis/findings"
)

// findingJSON is one member of "findings".
type findingJSON struct {
	Class      string           `json:"class"`
	Confidence string           `json:"confidence"`
	Kept       *string          `json:"kept"`
	Extra      []string         `json:"extra"`
	Disputed   []string         `json:"disputed"`
	Requests   []int64          `json:"requests"` // seq
	ClientID   string           `json:"client_id"`
	Endpoint   string           `json:"endpoint"`
	Keys       []string         `json:"keys"`
	Currencies map[string]int64 `json:"by_currency"`
	Why        []string         `json:"why"` // a line a chain, then what they have in common
	Chains     [][]Link         `json:"chains"`
	Evidence   []evidenceRow    `json:"evidence"`

	Normal   []string      `json:"normalised_keys,omitempty"` // where they are not the keys
	AlsoKept []string      `json:"also_kept,omitempty"`
	Alike    []string      `json:"alike,omitempty"`
	Beat     []string      `json:"beat,omitempty"`
	Gaps     []json.Number `json:"gaps_seconds,omitempty"`
	Timeout  *json.Number  `json:"timeout_seconds,omitempty"`
}

// evidenceRow is a row that a finding rests on, as it stands in the incident.
type evidenceRow struct {
	Table  string  `json:"table"`
	Row    string  `json:"row"` // seq or transfer_id
	At     *string `json:"at"`
	Seq    *int64  `json:"seq,omitempty"` // of a transfer's request
	Join   string  `json:"joined_by,omitempty"`
	Tie    string  `json:"join_confidence,omitempty"`
	Status int32   `json:"status,omitempty"`
	Millis *int64  `json:"duration_ms,omitempty"`
	Node   string  `json:"node,omitempty"`
	Name   string  `json:"request_ref,omitempty"`
	File   string  `json:"file,omitempty"`
	Line   int64   `json:"line,omitempty"`
	Note   string  `json:"note,omitempty"`
}

func findingOf(f *findings.Finding) (findingJSON, error) {
	v := findingJSON{
		Class: string(f.Class), Confidence: f.Confidence.String(), Extra: idsOf(f.Extra), Disputed: idsOf(f.Disputed),
		Requests: []int64{}, ClientID: valid(f.ClientID()), Endpoint: valid(f.Endpoint()), Keys: []string{},
		Currencies: byCurrency(f.Paid.Currencies(), f.Paid.Of), AlsoKept: idsOf(f.AlsoKept), Alike: idsOf(f.Alike),
	}
	if f.Kept != nil {
		id := valid(f.Kept.ID)
		v.Kept = &id
	}
	other := false
	for _, key := range f.Keys() {
		normal := findings.NormalKey(key)
		other = other || normal != key
		v.Keys, v.Normal = append(v.Keys, valid(key)), append(v.Normal, valid(normal))
	}
	if !other {
		v.Normal = nil
	}
	for _, c := range f.Beat() {
		v.Beat = append(v.Beat, string(c))
	}
	for _, gap := range f.Gaps() {
		v.Gaps = append(v.Gaps, seconds(gap))
	}
	if t := f.Timeout(); t > 0 {
		n := seconds(t)
		v.Timeout = &n
	}
	v.evidence(f)
	why, err := Why(f)
	for _, line := range why.Lines(" <- ") {
		v.Why = append(v.Why, valid(line))
	}
	for _, chain := range why.Chains {
		for i := range chain {
			l := &chain[i]
			l.Text = valid(l.Text)
			for k := range l.Rows {
				l.Rows[k].Row = valid(l.Rows[k].Row)
			}
		}
		v.Chains = append(v.Chains, chain)
	}
	return v, err
}

func idsOf(list []findings.Transfer) []string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = valid(list[i].ID)
	}
	return ids
}

// evidence lists the rows: the requests, then the transfers.
func (v *findingJSON) evidence(f *findings.Finding) {
	for i := range f.Sends {
		s := &f.Sends[i]
		if !s.Known {
			continue
		}
		v.Requests = append(v.Requests, s.Seq)
		row := evidenceRow{Table: "req_log", Row: fmt.Sprint(s.Seq), At: instant(s.At), Status: s.Status, Node: valid(s.Node)}
		if s.Duration >= 0 {
			ms := int64(s.Duration / time.Millisecond)
			row.Millis = &ms
		}
		if o := s.Origin; o != nil {
			row.Name, row.File, row.Line, row.Note = valid(o.Name), valid(o.File), o.Line, valid(o.Note)
		}
		v.Evidence = append(v.Evidence, row)
	}
	for _, t := range f.Transfers() {
		row := evidenceRow{Table: "transfer_v1", Row: valid(t.ID), At: instant(t.At), Join: t.Join}
		if t.Join != "" {
			row.Tie = t.Tie.String()
		}
		if s := &f.Sends[t.Send]; s.Known {
			row.Seq = &s.Seq
		}
		v.Evidence = append(v.Evidence, row)
	}
}

// findingsHead is what dup_report.json says about all findings.
type findingsHead struct {
	Filter   *FilterJSON      `json:"filter"`
	Totals   totalsJSON       `json:"finding_totals"`
	ByClient []sumJSON        `json:"findings_by_client"`
	ByPayee  []sumJSON        `json:"findings_by_payee"`
	Unlisted map[string]int64 `json:"findings_unlisted"`
}

type totalsJSON struct {
	Findings  int64     `json:"findings"`
	Certain   countJSON `json:"certain"`
	Probable  countJSON `json:"probable"`
	Suspected countJSON `json:"suspected"`
	Disputed  countJSON `json:"disputed"`
}

type countJSON struct {
	Transfers  int64            `json:"transfers"`
	Currencies map[string]int64 `json:"by_currency"`
}

type sumJSON struct {
	Name string `json:"name"`
	totalsJSON
}

func headOf(r *findings.Result) findingsHead {
	v := findingsHead{Filter: FilterOf(r.Narrowed), Totals: totalsOf(&r.Totals), ByClient: sumsOf(r.ByClient), ByPayee: sumsOf(r.ByPayee), Unlisted: map[string]int64{}}
	for c, n := range r.Unlisted {
		v.Unlisted[string(c)] = n
	}
	return v
}

func totalsOf(t *findings.Totals) totalsJSON {
	return totalsJSON{t.Findings, countOf(&t.Certain), countOf(&t.Probable), countOf(&t.Suspected), countOf(&t.Disputed)}
}

func countOf(c *findings.Count) countJSON {
	return countJSON{c.Transfers, byCurrency(c.Money.Currencies(), c.Money.Of)}
}

func sumsOf(list []findings.Sum) []sumJSON {
	all := make([]sumJSON, len(list))
	for i := range list {
		all[i] = sumJSON{valid(list[i].Name), totalsOf(&list[i].Totals)}
	}
	return all
}

// WriteDupReport writes dup_report.json: the duplicates of all the incident, by
// their keys, and the findings, which the result's filter may have narrowed; a nil
// result has none. policyHash is that of the policy that the day was replayed
// under; "" where there was no replay, which gives null. Of a large day its
// lists are nearly all of it, so their elements are made and written one at a
// time; findings stand on a line each.
func WriteDupReport(w io.Writer, d *analysis.Duplicates, r *findings.Result, evidence analysis.Evidence, version, policyHash string) error {
	if r == nil {
		r = &findings.Result{}
	}
	head, err := dupReportHead(d, r, evidence, version, policyHash)
	if err != nil {
		return err
	}
	for _, list := range []longList{
		{"keys", len(d.Groups), "    ", func(i int) (any, error) { return valid(d.Groups[i].Key), nil }},
		{"groups", len(d.Groups), "    ", func(i int) (any, error) { return groupJSON(&d.Groups[i]), nil }},
		{"findings", len(r.Findings), "", func(i int) (any, error) { return findingOf(&r.Findings[i]) }},
	} {
		if head, err = list.splice(w, head); err != nil {
			return err
		}
	}
	_, err = w.Write(head)
	return err
}

// longList is a list that is written into a file in which it stands empty.
type longList struct {
	member string
	n      int
	indent string // of its elements' members, "" for one line each
	at     func(i int) (any, error)
}

// splice writes text up to the list and the list, and gives what follows.
func (l *longList) splice(w io.Writer, text []byte) (rest []byte, err error) {
	// No string of a JSON text holds a newline, so this is no text of the data.
	mark := []byte("\n  \"" + l.member + "\": [")
	before, rest, ok := bytes.Cut(text, append(mark, ']'))
	if !ok {
		return nil, fmt.Errorf("the member %s is missing", l.member)
	}
	if _, err := w.Write(append(before, mark...)); err != nil {
		return nil, err
	}
	e := elements{w: w, indent: l.indent}
	for i := range l.n {
		v, err := l.at(i)
		if err != nil {
			return nil, err
		}
		if err := e.write(v); err != nil {
			return nil, err
		}
	}
	end := "]"
	if l.n > 0 {
		end = "\n  ]"
	}
	_, err = io.WriteString(w, end)
	return rest, err
}

// elements writes the elements of a list that is a member of a file's object.
type elements struct {
	w      io.Writer
	indent string
	n      int
	buf    bytes.Buffer
}

func (l *elements) write(v any) error {
	l.buf.Reset()
	e := json.NewEncoder(&l.buf)
	e.SetEscapeHTML(false)
	if l.indent != "" {
		e.SetIndent(l.indent, "  ")
	}
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	before := "\n    "
	if l.n > 0 {
		before = ",\n    "
	}
	l.n++
	if _, err := io.WriteString(l.w, before); err != nil {
		return err
	}
	_, err := l.w.Write(bytes.TrimSuffix(escapeInvisible(l.buf.Bytes()), []byte("\n")))
	return err
}
