package report

import (
	"context"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/replay"
)

// Day is one incident and its replay: all that the files are made from.
type Day struct {
	Incident   *analysis.Incident
	Duplicates *analysis.Duplicates
	Findings   *findings.Result // of the whole incident; Prepare finds them where there are none
	Result     replay.Result
	DayDB      string // path of the replayed ledger, complete and closed to writes
	Evidence   analysis.Evidence
	Version    string // of the program
}

// Report is a day whose figures have been checked.
type Report struct {
	day   Day
	facts facts
}

// Prepare checks the day's figures against day.db and measures the rest of what
// the report says. It reads the incident once and the ledger a few times; besides
// the duplicates themselves it keeps the accounts and the payments of one window
// of look-alikes in memory. The error is a [*Contradiction] where figures differ.
func Prepare(ctx context.Context, day Day) (*Report, error) {
	if err := check(ctx, &day); err != nil {
		return nil, err
	}
	// What measuring takes has gone when the findings, which stay, are looked for.
	facts, err := measure(ctx, &day)
	if err != nil {
		return nil, err
	}
	if day.Findings == nil {
		if day.Findings, err = findings.Find(ctx, day.Incident, nil); err != nil {
			return nil, err
		}
	}
	return &Report{day: day, facts: facts}, nil
}
