package analysis

import (
	"fmt"
	"time"
)

// ParseInstant reads an RFC 3339 instant as the incident's own times are read:
// strictly, with any number of fraction digits, between 1678 and 2261. The
// result is in UTC.
func ParseInstant(text string) (time.Time, error) {
	ns, ok := parseInstant([]byte(text))
	if !ok {
		return time.Time{}, fmt.Errorf("%.60q is no RFC 3339 instant between 1678 and 2261, such as 2026-03-10T09:00:00Z", text)
	}
	return instant(ns), nil
}
