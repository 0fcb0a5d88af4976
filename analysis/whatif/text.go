package whatif

import (
	"strings"
	"time"

	"idem/engine"
)

// ValueText writes a value of a curve. One that lies a nanosecond above a gap of
// the day, or above the lease, is written as what it exceeds.
func ValueText(v time.Duration) string {
	if v%time.Microsecond == 1 {
		return "> " + SpanText(v-1)
	}
	return SpanText(v)
}

// SpanText is a duration without the parts that are zero at its end.
func SpanText(d time.Duration) string {
	if d == engine.Forever {
		return "ever"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
