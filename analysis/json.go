package analysis

import "github.com/go-json-experiment/json/jsontext"

// isObject reports whether b is one JSON object and nothing else: valid UTF-8,
// and no member named twice, at any depth.
func isObject(b []byte) bool {
	v := jsontext.Value(b)
	return v.Kind() == '{' && v.IsValid()
}
