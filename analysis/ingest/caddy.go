package ingest

import (
	"bytes"
	"time"
)

// caddyFormat is the JSON access log of Caddy 2. ts is when the line was
// written, which is when the request ended; by default ts and duration are
// seconds (caddy.logging.encoders.json). An encoder may be set to write
// durations as whole milliseconds or nanoseconds, which look alike: only those
// with a fraction are known to be seconds.
// Headers are lists under Go's spelling of their names; credentials are REDACTED.
var caddyFormat = (&jsonLog{
	name:  "caddy",
	about: "JSON access log of Caddy 2",
	knows: func(members []string) bool {
		return hasPlaces(members, "$.request.method", "$.request.uri", "$.request.proto", "$.duration", "$.ts")
	},
	fixed: Mapping{TimeIs: "end", TimeUnit: "s", Columns: map[string]Places{
		"time":     {"$.ts"},
		"method":   {"$.request.method"},
		"endpoint": {"$.request.uri"},
		"status":   {"$.status"},
		"client":   {"$.user_id"},
		"key":      headerPlaces("$.request.headers.", "[0]", goSpelling),
		"id":       {"$.request.headers.X-Request-Id[0]"},
		"trace":    {"$.request.headers.Traceparent[0]"},
		"retry":    {"$.request.headers.X-Stripe-Client-Retry-Count[0]"},
		"replayed": {"$.resp_headers.Idempotent-Replayed[0]"},
		"body":     {"$.request_body", "$.req_body"},
	}},
	detect: func(head []byte, m *Mapping) {
		// Durations that are texts have their units with them.
		number, text := firstValue(head, "duration")
		if _, given := m.Columns["duration"]; !given && !text {
			m.Columns["duration"] = Places{"$.duration"}
		}
		if m.DurationUnit == "" && bytes.IndexByte(number, '.') >= 0 {
			m.DurationUnit = "s"
		}
	},
	extra: []string{"$.duration", "$.logger"},
	fix: func(q *Request, more [][]byte, _ *rules) error {
		if len(more[1]) > 0 && !bytes.HasPrefix(more[1], []byte("http.log.access")) {
			return aside("a line of another log of Caddy")
		}
		if b := more[0]; q.Duration < 0 && len(b) > 0 && b[len(b)-1] == 's' {
			d, err := time.ParseDuration(string(b))
			q.Duration = int64(d)
			return settle("duration", err)
		}
		return nil
	},
}).format()

// goSpelling is a header's name as Go's net/http spells it.
func goSpelling(name string) string {
	b := []byte(name)
	for i, c := range b {
		switch first := i == 0 || b[i-1] == '-'; {
		case first && c-'a' < 26:
			b[i] = c &^ 0x20
		case !first && c-'A' < 26:
			b[i] = c | 0x20
		}
	}
	return string(b)
}
