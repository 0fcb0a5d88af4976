package ingest

import (
	"bytes"
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
	o := &otlpReader{rows: rows, out: out, values: make([][]byte, len(rows.places))}
	return in.eachObject(out, nil, o.request)
}

type otlpReader struct {
	rows   *rowReader
	out    *Sink
	values [][]byte // of the places of rows
}

// request reads one request of the export service.
func (o *otlpReader) request(text jsontext.Value, n int64) {
	records := 0
	o.each(text, []string{"resourceLogs"}, func(resource jsontext.Value) {
		clear(o.values)
		if attributes := member(member(resource, "resource"), "attributes"); attributes != nil {
			o.attributes(attributes)
		}
		common := slices.Clone(o.values)
		o.each(resource, []string{"scopeLogs", "instrumentationLibraryLogs"}, func(scope jsontext.Value) {
			o.each(scope, []string{"logRecords", "logs"}, func(record jsontext.Value) {
				records++
				copy(o.values, common)
				o.record(record, n)
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

func (o *otlpReader) record(record jsontext.Value, n int64) {
	err := members(record, func(name string, v jsontext.Value) {
		text := place.Text(v, new([]byte))
		switch name {
		case "attributes":
			o.attributes(v)
		case "body":
			if list := member(member(v, "kvlistValue"), "values"); list != nil {
				o.attributes(list)
			}
		case otlpTime, otlpObserved:
			if string(text) != "0" {
				o.set(name, text)
			}
		case "traceId", "spanId", "severityText", "eventName":
			o.set(name, text)
		}
	})
	if err != nil {
		o.out.Reject(n, record, err)
		return
	}
	o.rows.hand(o.out, n, func() []byte { return record }, func(i int) []byte { return o.values[i] })
}

// attributes reads a list of keys and values.
func (o *otlpReader) attributes(list jsontext.Value) {
	if list.Kind() != '[' {
		return
	}
	_ = elements(list, func(pair jsontext.Value) {
		if key := member(pair, "key"); key != nil {
			o.set(string(place.Text(key, new([]byte))), anyValue(member(pair, "value")))
		}
	})
}

func (o *otlpReader) set(name string, text []byte) {
	for i, place := range o.rows.places {
		if place == name {
			o.values[i] = text
		}
	}
}

// anyValue is a value of OTLP as text; of a list the first one, as headers have
// it.
func anyValue(v jsontext.Value) (text []byte) {
	if v.Kind() != '{' {
		return nil
	}
	_ = members(v, func(name string, inner jsontext.Value) {
		switch name {
		case "arrayValue":
			if list := member(inner, "values"); list.Kind() == '[' {
				_ = elements(list, func(one jsontext.Value) {
					if text == nil {
						text = anyValue(one)
					}
				})
			}
		case "stringValue", "intValue", "doubleValue", "boolValue":
			text = place.Text(inner, new([]byte))
		}
	})
	return text
}
