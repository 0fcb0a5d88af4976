package ingest

import "bytes"

// apiGatewayFormat is the access log of Amazon API Gateway in JSON, members named
// like its $context variables. requestTime and requestTimeEpoch are when the
// request was received, in the form of the Apache log and in milliseconds;
// responseLatency is in milliseconds. "-" is none. An export from CloudWatch Logs
// has the time of the line before it.
var apiGatewayFormat = (&jsonLog{
	name:  "apigateway",
	about: "JSON access log of Amazon API Gateway",
	knows: func(members []string) bool {
		return hasNames(members, "requestid", "requesttime|requesttimeepoch", "httpmethod|routekey", "status", "protocol|responselength|responselatency") &&
			!hasNames(members, "upstreamstatus") && !hasNames(members, "bodybytessent")
	},
	repair: func() func([]byte) []byte { return cutStamp },
	names: map[string][]string{
		"time":      {"requesttimeepoch", "requesttime"},
		"duration":  {"responselatency"},
		"method":    {"httpmethod"},
		"endpoint":  {"path", "resourcepath", "routekey"},
		"status":    {"status"},
		"id":        {"requestid", "extendedrequestid"},
		"client":    {"apikeyid", "principalid", "caller", "user"},
		"upstreams": {"integrationstatus"},
		"note":      {"integrationerror", "integrationerrormessage", "errormessage"},
	},
	fixed: Mapping{TimeIs: "start", TimeUnit: "ms", DurationUnit: "ms", Missing: "-"},
	fix: func(q *Request, _ [][]byte, _ *rules) error {
		splitRequestLine(q) // a route key is a method and a path
		return nil
	},
}).format()

// cutStamp takes off the time that an export from CloudWatch Logs puts before a
// line.
func cutStamp(line []byte) []byte {
	const stamp = len("2006-01-02T15:04:05.000Z ")
	if len(line) > stamp && line[0] == '2' && line[stamp] == '{' && bytes.HasSuffix(line[:stamp], []byte("Z ")) {
		return line[stamp:]
	}
	return line
}
