package ingest

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// jsonLog is a request log of one JSON object a line, some of whose members are
// named by whoever runs the gateway.
type jsonLog struct {
	name, about string

	// knows reports whether members, which are the leaves of the first lines, are
	// those of this log.
	knows func(members []string) bool

	// repair makes JSON of a line that is nearly JSON; nil where there is no need.
	// What it gives is valid until the next call.
	repair func() func(line []byte) []byte

	// names are the names of members by field, best first, as [squashed] gives
	// them. Members that carry a header are found by the header's name.
	names map[string][]string
	fixed Mapping // what the log fixes, with places that do not depend on names

	// detect (may be nil) settles what the beginning of a text tells.
	detect func(head []byte, m *Mapping)

	// fix completes a request. more are the texts at the places of extra; reads
	// tells which fields it reads from where.
	extra []string
	reads map[string]Places
	fix   func(q *Request, more [][]byte, r *rules) error
}

func (l *jsonLog) format() *Format {
	return &Format{
		Name: l.name, About: l.about, Roles: []Role{Requests},
		Sniff: func(head []byte) bool { return l.knows(l.members(head)) },
		Map: func(head []byte, _ Role, given Mapping) (Mapping, error) {
			m := given.Or(l.fixed)
			if l.detect != nil {
				l.detect(head, &m)
			}
			m.show(l.reads)
			return m, l.settle(&m, l.members(head))
		},
		Columns: l.members,
		Read:    l.read,
	}
}

// members are the leaves of the first lines, once they are repaired and taken out
// of the arrays in which some senders put them.
func (l *jsonLog) members(head []byte) []string {
	repair := l.repairer()
	var text []byte
	for range sampled {
		line, rest, more := bytes.Cut(head, []byte{'\n'})
		eachObjectOf(repair(line), func(object jsontext.Value) { text = append(append(text, object...), '\n') })
		if !more {
			break
		}
		head = rest
	}
	return leaves(text)
}

func (l *jsonLog) repairer() func(line []byte) []byte {
	if l.repair == nil {
		return func(line []byte) []byte { return line }
	}
	return l.repair()
}

// eachObjectOf calls do for a line, or for each element where it is an array: logs
// that are sent in batches have several requests in one line.
func eachObjectOf(line []byte, do func(object jsontext.Value)) {
	if len(line) == 0 || line[0] != '[' || elements(line, func(jsontext.Value) {}) != nil {
		do(line)
		return
	}
	_ = elements(line, do)
}

// show adds columns that a format reads in its own way, so that they are shown and
// stored; without takes them out again, for what reads by columns.
func (m *Mapping) show(reads map[string]Places) {
	for field, places := range reads {
		if _, given := m.Columns[field]; !given {
			m.Columns[field] = places
		}
	}
}

func (m *Mapping) without(reads map[string]Places) *Mapping {
	left := *m
	left.Columns = maps.Clone(m.Columns)
	for field, places := range reads {
		if slices.Equal(left.Columns[field], places) {
			delete(left.Columns, field)
		}
	}
	return &left
}

// settle finds the members that m leaves open.
func (l *jsonLog) settle(m *Mapping, members []string) error {
	if err := m.know(members, l.names, lastStep); err != nil {
		return err
	}
	if len(members) == 0 {
		return misfit("its first lines hold no JSON object; without --format its content tells what it is")
	}
	if len(m.Columns["time"]) == 0 {
		return misfit("no member is known as the time of requests; there are %s. --map names it under [requests.columns]", strings.Join(members, ", "))
	}
	return nil
}

func (l *jsonLog) read(in *Input, m *Mapping, out *Sink) error {
	var more [][]byte
	var rows *rowReader
	var fix fixes
	if l.fix != nil {
		fix.request = func(q *Request) error { return l.fix(q, more, rows.requests.rules) }
	}
	rows, err := newRowReader(out.Role(), m.without(l.reads), fix)
	if err != nil {
		return err
	}
	finder, err := place.NewFinder(slices.Concat(rows.places, l.extra)...)
	if err != nil {
		return err
	}
	repair := l.repairer()
	more = make([][]byte, len(l.extra))
	return in.EachLine(out, func(line []byte, n int64) {
		eachObjectOf(repair(line), func(object jsontext.Value) {
			shown := []byte(object)
			if line[0] != '[' {
				shown = line // as it was before it was repaired
			}
			_, err := finder.Find(object)
			if err == nil && object.Kind() != '{' {
				err = errNoObject
			}
			if err != nil {
				out.Reject(n, shown, err)
				return
			}
			for i := range more {
				more[i] = finder.Text(len(rows.places) + i)
			}
			rows.hand(out, n, func() []byte { return shown }, finder.Text)
		})
	})
}

// headerFields are names of headers by the field that they are for, as [squashed]
// gives them: people log them under these names, with a mark before them.
var headerFields = map[string][]string{
	"key":      squashedAll(append([]string{"idem_key", "idemkey"}, keyHeaders...)),
	"id":       {"xrequestid", "requestid"},
	"trace":    {"traceid", "traceparent", "xcorrelationid", "correlationid", "xb3traceid", "xamzntraceid"},
	"retry":    {"xretrycount", "xstripeclientretrycount", "retrycount"},
	"replayed": {"idempotentreplayed", "idempotencyreplayed"},
	"client":   {"clientid", "xclientid", "merchantid", "merchant", "xmerchantid", "tenantid", "tenant", "consumer", "accountid", "apikeyid"},
	"body":     {"requestbody", "reqbody", "body", "payload", "requestpayload"},
}

// headerMarks stand before the name of a header in the names of members.
var headerMarks = []string{"http_request_header_", "http_response_header_", "upstream_http_", "sent_http_", "http_", "request_", "downstream_", "origin_", "req_header_", "resp_header_"}

// squashed makes names comparable however words are parted: letters and digits,
// in lower case.
func squashed(name string) string { return strings.ReplaceAll(plainName(name), "_", "") }

func squashedAll(names []string) []string {
	var list []string
	for _, n := range names {
		if s := squashed(n); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// know fills the columns that m leaves open: those of names by their names, and
// headers by theirs. Where two members have one name, it cannot be told which is
// meant.
func (m *Mapping) know(members []string, names map[string][]string, name func(string) string) error {
	for _, field := range fieldNames(Requests) {
		if _, given := m.Columns[field]; given {
			continue
		}
		wanted := slices.Concat(names[field], headerFields[field])
		var found Places
		for i, want := range wanted {
			var same []string
			for _, member := range members {
				if last := name(member); !slices.Contains(found, member) && (squashed(last) == want || i >= len(names[field]) && squashed(unmarked(last)) == want) {
					same = append(same, member)
				}
			}
			if len(same) > 1 {
				return unsettled("--map with "+field+" under [requests.columns]", "the %s of requests could stand in %s", field, strings.Join(same, ", "))
			}
			found = append(found, same...)
		}
		if len(found) > 0 {
			m.Columns[field] = found
		}
	}
	return nil
}

// unmarked is a name without what says that it is a header.
func unmarked(name string) string {
	plain := plainName(name)
	for _, mark := range headerMarks {
		if rest, ok := strings.CutPrefix(plain, mark); ok {
			return rest
		}
	}
	return plain
}

// hasNames reports whether each of the wanted names is the last step of a
// member; a wanted name a|b may be either.
func hasNames(members []string, wanted ...string) bool {
	have := map[string]bool{}
	for _, m := range members {
		have[squashed(lastStep(m))] = true
	}
	return !slices.ContainsFunc(wanted, func(w string) bool {
		return !slices.ContainsFunc(strings.Split(w, "|"), func(name string) bool { return have[name] })
	})
}

// hasPlaces reports whether each of the places is one of the members.
func hasPlaces(members []string, places ...string) bool { return containsAll(members, places) }

func containsAll(list, all []string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !slices.Contains(list, s) })
}

// splitRequestLine takes apart an endpoint that is a whole request line, such as
// POST /v1/payments HTTP/1.1.
func splitRequestLine(q *Request) {
	method, rest, ok := bytes.Cut(q.Endpoint, []byte{' '})
	if !ok {
		return
	}
	if i := bytes.LastIndexByte(rest, ' '); i >= 0 && bytes.HasPrefix(rest[i+1:], []byte("HTTP/")) {
		rest = rest[:i]
	}
	if len(q.Method) == 0 {
		q.Method = method
	}
	q.Endpoint = rest
}

// pathOf is a URL without its scheme and host.
func pathOf(url []byte) []byte {
	i := bytes.Index(url, []byte("://"))
	if i < 0 || bytes.IndexByte(url[:i], '/') >= 0 {
		return url
	}
	rest := url[i+3:]
	if slash := bytes.IndexAny(rest, "/?"); slash >= 0 {
		return rest[slash:]
	}
	return []byte("/")
}

// headerPlaces are the places of headers that carry a key, below base, as a
// gateway writes their names.
func headerPlaces(base, behind string, spell func(string) string) Places {
	var list Places
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "PayPal-Request-Id", "Cko-Idempotency-Key",
		"I-Twilio-Idempotency-Token", "X-Amz-Idempotency-Token", "X-Idempotency-Token", "Idempotency-Token", "X-Goog-Request-Id", "X-Request-Key"} {
		list = append(list, base+spell(name)+behind)
	}
	return list
}

// firstValue is the text that follows the first member of a name: as much of it as
// could be a number, or empty where it is none or the name is not there.
func firstValue(head []byte, name string) (number []byte, text bool) {
	_, rest, ok := bytes.Cut(head, []byte(`"`+name+`":`))
	if !ok {
		return nil, false
	}
	rest = bytes.TrimLeft(rest, " ")
	end := 0
	for end < len(rest) && (rest[end]-'0' <= 9 || rest[end] == '.') {
		end++
	}
	return rest[:end], len(rest) > 0 && rest[0] == '"'
}
