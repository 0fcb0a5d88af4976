package ingest

import "errors"

// traefikFormat is the JSON access log of Traefik. StartUTC is when the request
// began, Duration is in nanoseconds. RetryAttempts counts the attempts after the
// first one. Headers are members of their own, request_ and their name, where
// accessLog.fields.headers keeps them.
var traefikFormat = (&jsonLog{
	name:  "traefik",
	about: "JSON access log of Traefik",
	knows: func(members []string) bool {
		return hasNames(members, "startutc|startlocal", "duration", "downstreamstatus", "requestmethod")
	},
	names: map[string][]string{
		"time":     {"startutc", "startlocal"},
		"duration": {"duration"},
		"method":   {"requestmethod"},
		"endpoint": {"requestpath"},
		"status":   {"downstreamstatus"},
		"client":   {"clientusername"},
	},
	fixed: Mapping{TimeIs: "start", DurationUnit: "ns", Missing: "-"},
	reads: map[string]Places{"attempts": {"$.RetryAttempts"}},
	extra: []string{"$.RetryAttempts"},
	fix: func(q *Request, more [][]byte, _ *rules) error {
		if len(more[0]) == 0 {
			return nil
		}
		retries, err := count(more[0])
		if err != nil || retries < 0 {
			return errors.New("RetryAttempts is no number of attempts")
		}
		q.Attempts = retries + 1
		return nil
	},
}).format()
