package ingest

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
)

// kongFormat is what Kong's http-log and file-log write: one object a request.
// started_at is when it began, in milliseconds since 1970, and latencies.request
// is how long it took, in milliseconds. Each member of tries is one execution:
// those that failed have a state and a code. Names of headers are in lower case;
// a header that was sent twice is a list.
var kongFormat = (&jsonLog{
	name:  "kong",
	about: "log of Kong's http-log and file-log plugins",
	knows: func(members []string) bool {
		return hasPlaces(members, "$.started_at", "$.latencies.request", "$.request.method", "$.request.uri")
	},
	fixed: Mapping{TimeIs: "start", TimeUnit: "ms", DurationUnit: "ms", Columns: map[string]Places{
		"time":     {"$.started_at"},
		"duration": {"$.latencies.request"},
		"method":   {"$.request.method"},
		"endpoint": {"$.request.uri"},
		"status":   {"$.response.status"},
		"id":       {"$.request.id", "$.request.headers.x-request-id", "$.response.headers.x-kong-request-id"},
		"client":   {"$.consumer.custom_id", "$.consumer.username", "$.consumer.id", "$.authenticated_entity.id"},
		"key":      headerPlaces("$.request.headers.", "", strings.ToLower),
		"body":     {"$.request.body"},
		"trace":    {"$.request.headers.traceparent"},
		"retry":    {"$.request.headers.x-stripe-client-retry-count"},
		"replayed": {"$.response.headers.idempotent-replayed"},
	}},
	reads: map[string]Places{"upstreams": {"$.tries"}, "attempts": {"$.tries"}},
	extra: []string{"$.tries"},
	fix: func(q *Request, more [][]byte, _ *rules) (err error) {
		q.Upstreams, q.Attempts, err = kongTries(more[0])
		q.Endpoint = pathOf(q.Endpoint)
		return err
	},
}).format()

// kongTries reads the list of tries. Where there is none, the request was
// answered by Kong itself, or tries were not logged.
func kongTries(raw []byte) (list []byte, n int64, err error) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, 0, nil
	}
	err = elements(raw, func(try jsontext.Value) {
		parts := map[string]string{}
		if members(try, func(name string, v jsontext.Value) { parts[name] = string(place.Text(v, new([]byte))) }) != nil {
			return
		}
		if n++; n > 1 {
			list = append(list, ", "...)
		}
		list = append(list, parts["ip"]...)
		for _, more := range [][2]string{{":", parts["port"]}, {" ", parts["state"]}, {" ", parts["code"]}} {
			if more[1] != "" {
				list = append(append(list, more[0]...), more[1]...)
			}
		}
	})
	return list, n, err
}
