package main

import (
	"fmt"
	"strings"
)

// count names one of the things that are counted.
type count int

const (
	killed count = iota
	oneShots
	servers
	starting
	closing
	replays
	replaysPartial
	workbenches
	files
	inTransaction
	inCheckpoint
	inRecovery
	tornLog
	claimOpen
	unanswered
	stood
	conflicts
	replayed
	stops
	stopsInTransaction
	takeovers
	tooLate
	faultPoints
	judged
	audits
	counts
)

// words follow the number in the line that sums up.
var words = [counts]string{
	killed:             "were killed",
	oneShots:           "payment processes",
	servers:            "servers under load",
	starting:           "servers before they answered",
	closing:            "servers that were stopping",
	replays:            "replays",
	replaysPartial:     "with files published",
	workbenches:        "workbenches",
	files:              "days and imports",
	inTransaction:      "inside a transaction",
	inCheckpoint:       "inside a checkpoint",
	inRecovery:         "inside the recovery of the log",
	tornLog:            "left a log that ends without a commit",
	claimOpen:          "with a claim open",
	unanswered:         "between a commit and its answer",
	stood:              "payments stood and were not answered",
	conflicts:          "retries refused while the lease lasted",
	replayed:           "retries replayed",
	stops:              "servers stopped beyond the lease",
	stopsInTransaction: "of them inside a transaction",
	takeovers:          "claims taken over meanwhile",
	tooLate:            "completions refused as too late",
	faultPoints:        "fault points hit",
	judged:             "states judged",
	audits:             "audits",
}

// tally holds how often each of them happened.
type tally [counts]int

func (t *tally) add(other *tally) {
	for c, n := range other {
		t[c] += n
	}
}

// String lists what is not zero.
func (t *tally) String() string {
	var list []string
	for c, n := range t {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, words[c]))
		}
	}
	return strings.Join(list, ", ")
}

// required are the dangerous places that must have been hit by a part that killed
// as many as enough: else it has shown nothing.
var required = []struct {
	part   string
	enough int
	counts []count
}{
	{"api", 400, []count{oneShots, claimOpen, unanswered, inTransaction}},
	{"replay", 1, []count{replays}},
	{"app", 1, []count{workbenches}},
	{"files", 4, []count{files}},
	{"server", 150, []count{servers, starting, closing, inTransaction, inRecovery, claimOpen, unanswered, stood, replayed}},
	{"fleet", 50, []count{servers, claimOpen}},
	{"fleet", 200, []count{inTransaction, unanswered, starting, closing}},
	{"stop", 20, []count{stops, takeovers}},
	{"stop", 40, []count{tooLate}},
}

// dangerous is an error when the kills of a part did not fall where they must be
// survived.
func dangerous(part string, n int, t *tally) error {
	for _, r := range required {
		if r.part != part || n < r.enough {
			continue
		}
		for _, c := range r.counts {
			if t[c] == 0 {
				return fmt.Errorf("%s: none was counted of: %s; ask for more", part, words[c])
			}
		}
	}
	return nil
}
