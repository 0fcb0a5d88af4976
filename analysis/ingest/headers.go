package ingest

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// Places of headers, for formats that hold all of them. Their names are compared
// in lower case.
const (
	requestHeaderAt = "request.headers."
	replyHeaderAt   = "response.headers."
)

// exchangeColumns are the headers that tell of a payment, in formats that hold all
// headers of request and reply. A credential tells clients apart.
func exchangeColumns(columns map[string]Places) map[string]Places {
	columns["key"] = headerPlaces(requestHeaderAt, "", strings.ToLower)
	columns["client"] = Places{requestHeaderAt + "authorization"}
	columns["trace"] = Places{requestHeaderAt + "traceparent"}
	columns["retry"] = Places{requestHeaderAt + "x-stripe-client-retry-count"}
	columns["replayed"] = Places{replyHeaderAt + "idempotent-replayed"}
	return columns
}

// headers are those of one message, by name in lower case. Of several with one
// name the first counts.
type headers map[string][]byte

func (h headers) set(name string, value []byte) {
	name = strings.ToLower(strings.TrimSpace(name))
	if _, there := h[name]; !there {
		h[name] = bytes.TrimSpace(value)
	}
}

// read takes headers from JSON: pairs of name and value, or one object.
func (h headers) read(v jsontext.Value) {
	clear(h)
	switch v.Kind() {
	case '{':
		_ = members(v, h.member)
	case '[':
		_ = elements(v, func(pair jsontext.Value) {
			var name, value []byte
			_ = members(pair, func(member string, v jsontext.Value) {
				switch member {
				case "name":
					name = place.Text(v, new([]byte))
				case "value":
					value = place.Text(v, new([]byte))
				}
			})
			h.set(string(name), value)
		})
	}
}

// member is a header of an object, whose value may be a list.
func (h headers) member(name string, v jsontext.Value) {
	if v.Kind() == '[' {
		_ = elements(v, func(one jsontext.Value) { h.set(name, place.Text(one, new([]byte))) })
		return
	}
	h.set(name, place.Text(v, new([]byte)))
}
