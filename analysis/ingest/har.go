package ingest

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// harFormat is an HTTP archive, HAR 1.2, as browsers and proxies save it: one
// document with an entry for each request. startedDateTime is when the request
// began, with a zone, and time is milliseconds. Headers are pairs of name and
// value; some tools write one object instead. A request that was given up has the
// status 0, and what is known of why in a member of the tool's own.
//
// It shows what a client saw: a request that timed out there may well have been
// executed.
var harFormat = &Format{
	Name: "har", About: "HTTP archive (HAR 1.2) of a browser or proxy", Roles: []Role{Requests},
	Sniff: isHAR,
	Map: func(_ []byte, _ Role, given Mapping) (Mapping, error) {
		return given.Or(Mapping{TimeIs: "start", DurationUnit: "ms", Columns: exchangeColumns(map[string]Places{
			"time": {"$.startedDateTime"}, "duration": {"$.time"}, "method": {"$.request.method"}, "endpoint": {"$.request.url"},
			"status": {"$.response.status"}, "body": {"$.request.postData.text", harParams}, "id": {requestHeaderAt + "x-request-id"},
			"note": {"$.response._error", "$.response._failureText", "$._error"},
		})}), nil
	},
	Read: readHAR,
}

// isHAR reports whether a text is an object that begins with a member log, in
// which the creator or the entries of an archive stand.
func isHAR(head []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(head))
	for _, want := range []string{"{", "log", "{"} {
		if t, err := dec.ReadToken(); err != nil || t.String() != want {
			return false
		}
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return false
		}
		switch name.String() {
		case "creator", "entries":
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}

// harParams is the place of a posted form that is not kept as text.
const harParams = "$.request.postData.params"

// Places that are read of every entry, before those of the mapping.
const (
	harRequestHeaders = iota
	harResponseHeaders
	harFormParams
	harCache
	harURL
	harFixed
)

func readHAR(in *Input, m *Mapping, out *Sink) error {
	rows, err := newRowReader(out.Role(), m, fixes{request: fixHAR})
	if err != nil {
		return err
	}
	fixed := []string{"$.request.headers", "$.response.headers", harParams, "$._fromCache", "$.request.url"}
	places := slices.Concat(fixed, rows.places)
	for i, p := range places {
		if strings.HasPrefix(p, requestHeaderAt) || strings.HasPrefix(p, replyHeaderAt) {
			places[i] = fixed[harCache] // found among the headers instead
		}
	}
	finder, err := place.NewFinder(places...)
	if err != nil {
		return err
	}
	request, response := headers{}, headers{}
	return in.EachEntry(out, []string{"log", "entries"}, func(entry jsontext.Value, n int64) {
		values, err := finder.Find(entry)
		if err != nil {
			out.Reject(n, entry, err)
			return
		}
		if why := harAside(values); why != "" {
			out.Aside(n, entry, why)
			return
		}
		request.read(values[harRequestHeaders])
		response.read(values[harResponseHeaders])
		rows.hand(out, n, func() []byte { return entry }, func(i int) []byte {
			if text, ok := headerAt(rows.places[i], request, response); ok {
				return text
			}
			if rows.places[i] == harParams {
				return formOf(values[harFormParams])
			}
			return finder.Text(harFixed + i)
		})
	})
}

// headerAt is the header at a place; ok is false where the place is none of a
// header.
func headerAt(at string, request, response headers) (text []byte, ok bool) {
	if name, ok := strings.CutPrefix(at, requestHeaderAt); ok {
		return request[strings.ToLower(name)], true
	}
	if name, ok := strings.CutPrefix(at, replyHeaderAt); ok {
		return response[strings.ToLower(name)], true
	}
	return nil, false
}

// harAside is why an entry went to no server.
func harAside(values []jsontext.Value) string {
	address := place.Text(values[harURL], new([]byte))
	switch {
	case len(values[harCache]) > 0:
		return "answered from a cache"
	case len(address) > 0 && !bytes.HasPrefix(address, []byte("http:")) && !bytes.HasPrefix(address, []byte("https:")):
		return "a request to no server"
	}
	return ""
}

func fixHAR(q *Request) error {
	q.Endpoint = pathOf(q.Endpoint)
	if q.Status == 0 && len(q.Note) == 0 {
		q.Note = []byte("given up by the client")
	}
	return nil
}

// formOf makes the text of a form from its pairs.
func formOf(params jsontext.Value) []byte {
	if params.Kind() != '[' {
		return nil
	}
	var form []byte
	_ = elements(params, func(pair jsontext.Value) {
		var name, value string
		_ = members(pair, func(member string, v jsontext.Value) {
			switch member {
			case "name":
				name = string(place.Text(v, new([]byte)))
			case "value":
				value = string(place.Text(v, new([]byte)))
			}
		})
		if len(form) > 0 {
			form = append(form, '&')
		}
		form = append(form, url.QueryEscape(name)+"="+url.QueryEscape(value)...)
	})
	return form
}
