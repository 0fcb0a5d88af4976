//go:build faults

package simulate

import (
	"fmt"
	"reflect"
	"strings"

	"idem/engine"
	"idem/engine/fault"
)

// Counters are how often the dangerous things happened. Where one is zero the
// schedules have proved nothing.
type Counters struct {
	Schedules int64

	BeforeBegin, BeforeCommit, AfterCommit, InEffect, InPurge, BeforeReply int64 // places passed

	Crashes, CrashesInside                       int64 // all, and those that fell inside of a transaction
	FailedCommits, LostAnswers, FailedOperations int64
	LeftCompletions, LeftOthers                  int64 // operations whose clients did not wait for them
	Unknown, Busy, Together                      int64 // answers of a store; transactions of several operations

	Kept, Released, Stale, StaleAgain       int64 // completions; StaleAgain are second ones of one worker
	Takeovers, Replays, Conflicts           int64 // claims
	Mismatches, Expired                     int64
	Purged, PurgedExpired, PurgesSparing    int64
	Jumps, Backwards, Boundaries            int64 // of the clock; boundaries are instants at or beside an end
	Looks, Audits, Linearized, Acknowledged int64 // checks made
}

func (c *Counters) count(place string) {
	switch place {
	case fault.BeforeBegin:
		c.BeforeBegin++
	case fault.BeforeCommit:
		c.BeforeCommit++
	case fault.AfterCommit:
		c.AfterCommit++
	case fault.InEffect:
		c.InEffect++
	case fault.InPurge:
		c.InPurge++
	case fault.BeforeReply:
		c.BeforeReply++
	}
}

// Zero names the counters that are zero.
func (c *Counters) Zero() (names []string) {
	c.each(func(name string, n int64) {
		if n == 0 {
			names = append(names, name)
		}
	})
	return names
}

// String is all of them in one line.
func (c *Counters) String() string {
	var parts []string
	c.each(func(name string, n int64) { parts = append(parts, fmt.Sprintf("%s=%d", name, n)) })
	return strings.Join(parts, " ")
}

func (c *Counters) each(fn func(name string, n int64)) {
	v := reflect.ValueOf(*c)
	for i := range v.NumField() {
		fn(v.Type().Field(i).Name, v.Field(i).Int())
	}
}

func (w *world) noteVerdict(v *engine.Verdict) {
	c := &w.Counters
	switch {
	case v.Takeover():
		c.Takeovers++
	case v.Outcome == engine.Replay:
		c.Replays++
	case v.Outcome == engine.InFlight:
		c.Conflicts++
	case v.Outcome == engine.Mismatch:
		c.Mismatches++
	}
	if v.Expired {
		c.Expired++
	}
}

// noteAgain: who has completed once has no claim any more.
func (w *world) noteAgain(settled engine.Settlement, err error) {
	if err == nil && settled == engine.Lost {
		w.Counters.StaleAgain++
	} else if err == nil {
		w.fail("a worker completes twice: %v", settled)
	}
}
