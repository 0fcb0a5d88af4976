package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"idem/engine"
)

// TestInstants: what cannot be kept is told by its column, and a time that a
// claim does not have is not looked at.
func TestInstants(t *testing.T) {
	good, bad := time.Unix(0, 5), time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)
	for want, r := range map[string]engine.Record{
		"claimed at":   {State: engine.InProgress, ClaimedAt: bad, LeaseUntil: good},
		"end of lease": {State: engine.InProgress, ClaimedAt: good, LeaseUntil: bad},
		"completed at": {State: engine.Completed, ClaimedAt: good, LeaseUntil: good, CompletedAt: bad},
	} {
		if _, err := r.Instants(); !errors.Is(err, engine.ErrTime) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	r := engine.Record{State: engine.InProgress, ClaimedAt: good, LeaseUntil: good}
	if at, err := r.Instants(); err != nil || at != (engine.Instants{Claimed: 5, Lease: 5}) {
		t.Errorf("a claim's are %+v, %v", at, err)
	}
}
