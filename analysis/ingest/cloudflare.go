package ingest

import (
	"strings"
)

// cloudflareFormat is the dataset http_requests of Cloudflare Logpush.
// EdgeStartTimestamp is when the request was received, EdgeEndTimestamp when the
// reply was sent: RFC 3339, seconds or nanoseconds since 1970, as the job's option
// timestamp_format says. Headers are in RequestHeaders where the job has custom
// fields. An origin status of 0 is a request that no origin was asked for.
var cloudflareFormat = (&jsonLog{
	name:  "cloudflare",
	about: "Cloudflare Logpush, dataset http_requests",
	knows: func(members []string) bool {
		return hasPlaces(members, "$.EdgeStartTimestamp", "$.ClientRequestMethod")
	},
	fixed: Mapping{TimeIs: "start", Columns: map[string]Places{
		"time":     {"$.EdgeStartTimestamp"},
		"method":   {"$.ClientRequestMethod"},
		"endpoint": {"$.ClientRequestURI", "$.ClientRequestPath"},
		"status":   {"$.EdgeResponseStatus"},
		"id":       {"$.RayID"},
		"node":     {"$.EdgeColoCode"},
		"key":      headerPlaces("$.RequestHeaders.", "", strings.ToLower),
		"trace":    {"$.RequestHeaders.traceparent"},
		"replayed": {"$.ResponseHeaders.idempotent-replayed"},
	}},
	detect: func(head []byte, m *Mapping) {
		if m.TimeUnit == "" {
			m.TimeUnit = cloudflareUnit(head)
		}
	},
	reads: map[string]Places{"duration": {"$.EdgeEndTimestamp"}, "upstreams": {"$.OriginResponseStatus"}},
	extra: []string{"$.EdgeEndTimestamp", "$.OriginResponseStatus"},
	fix: func(q *Request, more [][]byte, r *rules) error {
		if len(more[0]) > 0 {
			end, err := r.time.Read(more[0])
			if err != nil {
				return settle("EdgeEndTimestamp", err)
			}
			q.Duration = max(end-q.At, -1)
		}
		if origin := more[1]; len(origin) > 0 && string(origin) != "0" {
			q.Upstreams, q.Attempts = origin, 1
		}
		return nil
	},
}).format()

// cloudflareUnit tells seconds from nanoseconds, the only units that a job can
// write, by the number of digits: no time of this century has as many in both.
func cloudflareUnit(head []byte) string {
	number, _ := firstValue(head, "EdgeStartTimestamp")
	switch len(number) {
	case 10:
		return "s"
	case 19:
		return "ns"
	}
	return ""
}
