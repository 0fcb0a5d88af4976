package tui

import (
	"math"
	"slices"
	"strconv"

	"idem/engine"
)

// ladders are the values that turning a knob goes through; any other value that
// a knob may have can be typed.
var ladders = map[string][]string{
	"scope": {"idem_key", "client_id,idem_key", "endpoint,idem_key", "client_id,endpoint,idem_key", "client_id,endpoint,idem_key,amount"},
	"retention_hours": {
		"0.01", "0.02", "0.05", "0.1", "0.25", "0.5", "1", "2", "4", "6", "12", "24", "48", "72", "168", "336", "720", "2160", "8760", "forever",
	},
	"on_fingerprint_mismatch": {"400", "409", "422", "replay"},
	"on_in_flight":            {"409", "423", "425", "429"},
	"lease_seconds":           {"0.1", "0.5", "1", "2", "5", "10", "20", "30", "60", "120", "300", "600", "1800", "3600"},
	"fingerprint":             {"canonical", "raw", "request", "none"},
	"stored":                  {"all", "not_5xx", "2xx"},
}

// turnKnob is a policy with one knob turned by one value; ok is false at the end
// of its ladder.
func turnKnob(p engine.Policy, k engine.Knob, d int) (turned engine.Policy, ok bool) {
	value, found := step(ladders[k.Name], k.Get(p), d)
	if !found || k.Set(&p, value) != nil {
		return p, false
	}
	return p, true
}

// step is the value beside another one on a ladder; ok is false at its end. A
// number that is not on it stands between its neighbours, any other word leads to
// the first.
func step(ladder []string, value string, d int) (beside string, ok bool) {
	i := slices.Index(ladder, value)
	switch {
	case i >= 0:
		i += d
	case size(value) < 0:
		i = 0
	default:
		i = slices.IndexFunc(ladder, func(v string) bool { return size(v) > size(value) })
		if i < 0 {
			i = len(ladder)
		}
		if d < 0 {
			i--
		}
	}
	if i < 0 || i >= len(ladder) {
		return "", false
	}
	return ladder[i], true
}

// size is a value as a number to compare by; no end is larger than any.
func size(value string) float64 {
	if value == "forever" {
		return math.Inf(1)
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return -1
	}
	return n
}
