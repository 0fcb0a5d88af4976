package ingest

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// otlpFormat is OpenTelemetry logs as OTLP/JSON: requests of the export service,
// one a line as the collector's file exporter writes them or as one document.
// Times are nanoseconds since 1970, which do not fit a JavaScript number: they are
// texts by the protocol, numbers by some writers, and read digit by digit either
// way. A time of 0 is none, and the observed time counts.
//
// What a request was stands in attributes: those of the semantic conventions for
// HTTP, old and new, are known, and headers among them. Whether a record was
// written at the start or the end of a request is not known.
var otlpFormat = &Format{
	Name: "otlp", About: "OpenTelemetry logs, OTLP/JSON", Roles: []Role{Requests},
	Sniff: func(head []byte) bool { return firstName(head) == "resourceLogs" },
	Map: func(head []byte, _ Role, given Mapping) (Mapping, error) {
		m := given.Or(Mapping{TimeUnit: "ns", Columns: map[string]Places{"time": {otlpTime, otlpObserved}, "trace": {"traceId"}}})
		err := m.know(attributeNames(head), otlpNames, func(name string) string { return name })
		if m.DurationUnit == "" && slices.Equal(m.Columns["duration"], Places{otlpSeconds}) {
			m.DurationUnit = "s"
		}
		for _, name := range m.Columns["duration"] {
			if m.DurationUnit == "" {
				m.DurationUnit = unitByName(plainName(name))
			}
		}
		return m, err
	},
	Columns: attributeNames,
	Read:    readOTLP,
}

const (
	otlpTime     = "timeUnixNano"
	otlpObserved = "observedTimeUnixNano"
	otlpSeconds  = "http.server.request.duration" // a metric's name, in seconds by the conventions
)

var otlpNames = map[string][]string{
	"duration": {"httpserverrequestduration", "durationms", "durationns", "durationus", "durations", "duration"},
	"method":   {"httprequestmethod", "httpmethod", "method"},
	"endpoint": {"urlpath", "httptarget", "urlfull", "httpurl", "httproute", "path"},
	"status":   {"httpresponsestatuscode", "httpstatuscode", "status", "statuscode"},
	"id":       {"httprequestid", "requestid"},
	"client":   {"enduserid", "userid"},
	"attempts": {"attempts"},
	"node":     {"serviceinstanceid", "k8spodname", "hostname"},
	"retry":    {"httprequestresendcount", "httpresendcount"},
}

// firstName is the name of the first member of a text.
func firstName(head []byte) string {
	dec := jsontext.NewDecoder(bytes.NewReader(head))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	t, err := dec.ReadToken()
	if err != nil || t.Kind() != '"' {
		return ""
	}
	return t.String()
}

// attributeNames are the keys of attributes at the beginning of a text.
func attributeNames(head []byte) (list []string) {
	for {
		_, rest, ok := bytes.Cut(head, []byte(`"key"`))
		if !ok {
			return list
		}
		head = rest
		name := bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte{':'}), " \t\r\n")
		if len(name) == 0 || name[0] != '"' {
			continue
		}
		if end := bytes.IndexByte(name[1:], '"'); end >= 0 && !slices.Contains(list, string(name[1:end+1])) {
			list = append(list, string(name[1:end+1]))
		}
	}
}

func readOTLP(in *Input, m *Mapping, out *Sink) error {
	rows, err := newRowReader(out.Role(), m, fixes{request: func(q *Request) error {
		if len(q.Method) == 0 && len(q.Endpoint) == 0 && q.Status == 0 {
			return aside("a record of no HTTP request")
		}
		splitRequestLine(q)
		q.Endpoint = pathOf(q.Endpoint)
		return nil
	}})
	if err != nil {
		return err
	}
	o, err := newOTLPReader(rows, out)
	if err != nil {
		return err
	}
	return in.eachObject(out, nil, o.request)
}

type otlpReader struct {
	rows   *rowReader
	out    *Sink
	slots  map[string][]int // of names that rows want
	values [][]byte         // of the places of rows
	texts  [][]byte         // memory of the values that had escapes

	record, pair *place.Finder
}

// recordPlaces are what is read of a record beside its attributes.
var recordPlaces = []string{"attributes", "body.kvlistValue.values", otlpTime, otlpObserved, "traceId", "spanId", "severityText", "eventName"}

// pairPlaces are a key and the values that it can have; of a list the first one,
// as headers have it.
var pairPlaces = []string{"key", "value.stringValue", "value.intValue", "value.doubleValue", "value.boolValue",
	"value.arrayValue.values[0].stringValue", "value.arrayValue.values[0].intValue"}

func newOTLPReader(rows *rowReader, out *Sink) (*otlpReader, error) {
	o := &otlpReader{rows: rows, out: out, slots: map[string][]int{}, values: make([][]byte, len(rows.places)), texts: make([][]byte, len(rows.places))}
	for i, name := range rows.places {
		o.slots[name] = append(o.slots[name], i)
	}
	var err1, err2 error
	o.record, err1 = place.NewFinder(recordPlaces...)
	o.pair, err2 = place.NewFinder(pairPlaces...)
	return o, errors.Join(err1, err2)
}

// request reads one request of the export service.
func (o *otlpReader) request(text jsontext.Value, n int64) {
	records := 0
	o.each(text, []string{"resourceLogs"}, func(resource jsontext.Value) {
		clear(o.values)
		o.attributes(member(member(resource, "resource"), "attributes"))
		common := slices.Clone(o.values)
		for i, b := range common {
			common[i] = bytes.Clone(b)
		}
		o.each(resource, []string{"scopeLogs", "instrumentationLibraryLogs"}, func(scope jsontext.Value) {
			o.each(scope, []string{"logRecords", "logs"}, func(record jsontext.Value) {
				records++
				copy(o.values, common)
				o.take(record, n)
			})
		})
	})
	if records == 0 {
		o.out.Aside(n, text, "it holds no records")
	}
}

// each calls do for the elements of the arrays in members of one of the names.
func (o *otlpReader) each(v jsontext.Value, names []string, do func(jsontext.Value)) {
	_ = members(v, func(name string, list jsontext.Value) {
		if slices.Contains(names, name) && list.Kind() == '[' {
			_ = elements(list, do)
		}
	})
}

func (o *otlpReader) take(record jsontext.Value, n int64) {
	values, err := o.record.Find(record)
	if err != nil {
		o.out.Reject(n, record, err)
		return
	}
	for i, name := range recordPlaces {
		switch v := values[i]; {
		case i < 2:
			o.attributes(v)
		case v != nil && string(v) != "0" && string(v) != `"0"`: // a time of 0 is none
			o.set(name, v)
		}
	}
	o.rows.hand(o.out, n, func() []byte { return record }, func(i int) []byte { return o.values[i] })
}

// attributes reads a list of keys and values.
func (o *otlpReader) attributes(list jsontext.Value) {
	if list.Kind() != '[' {
		return
	}
	_ = elements(list, func(pair jsontext.Value) {
		values, err := o.pair.Find(pair)
		if err != nil || values[0] == nil {
			return
		}
		key := string(place.Text(values[0], new([]byte)))
		for _, v := range values[1:] {
			if v != nil {
				o.set(key, v)
				return
			}
		}
	})
}

func (o *otlpReader) set(name string, v jsontext.Value) {
	for _, i := range o.slots[name] {
		o.values[i] = place.Text(v, &o.texts[i])
	}
}
