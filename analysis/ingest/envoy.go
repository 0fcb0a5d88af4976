package ingest

// envoyFormat is the JSON access log of Envoy and of Istio, whose default has
// these names. START_TIME is when the request began and DURATION is in
// milliseconds until the last byte went out (Envoy, access log command
// operators). A member may be a text or a number; "-" or null is none.
//
// UPSTREAM_REQUEST_ATTEMPT_COUNT, where it is logged, tells how often the
// request was sent on. response_flags tell why a request failed: they are kept
// as the note.
var envoyFormat = (&jsonLog{
	name:  "envoy",
	about: "JSON access log of Envoy or Istio",
	knows: func(members []string) bool {
		return hasNames(members, "starttime", "duration", "responsecode", "responseflags")
	},
	names: map[string][]string{
		"time":      {"starttime"},
		"duration":  {"duration"},
		"method":    {"method", "requestmethod"},
		"endpoint":  {"path", "xenvoyoriginalpath", "uripath"},
		"status":    {"responsecode"},
		"id":        {"requestid", "xrequestid"},
		"attempts":  {"upstreamrequestattemptcount", "xenvoyattemptcount"},
		"node":      {"podname", "hostname", "nodeid"},
		"upstreams": {"upstreamhost"},
		"note":      {"responseflags"},
	},
	fixed: Mapping{TimeIs: "start", DurationUnit: "ms", Missing: "-"},
}).format()
