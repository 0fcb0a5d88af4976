package tui

import (
	"context"

	"idem/analysis"
	"idem/analysis/replay"
)

// Session is an opened incident with its replay and its reports. Only commands
// call it; its methods may take long, may run at the same time, and end soon
// after their context does.
type Session interface {
	// Total is the number of rows of req_log, or a bound of it where counting
	// them would take a while; the Player knows it exactly.
	Total() int64
	// Narrowing says which part of the incident this is. All but the evidence and
	// the findings' own rows is of that part alone.
	Narrowing() analysis.Narrowing
	// Evidence says which file is looked at; it reads all of it.
	Evidence(ctx context.Context) (analysis.Evidence, error)
	// Duplicates is the duplicate analysis; it tells now and then how far it is.
	Duplicates(ctx context.Context, progress func(done, total int64)) (*analysis.Duplicates, error)
	// Timeline counts requests and retries over the day.
	Timeline(ctx context.Context, buckets int) (analysis.Timeline, error)
	// RequestsOf is what happened under a key, in the order of the day.
	RequestsOf(ctx context.Context, key analysis.Scope) ([]analysis.Request, error)
	// Search is the next position after from (before it for a negative
	// direction) whose request's key, client or endpoint holds text; 0 for none.
	Search(ctx context.Context, text string, from int64, dir replay.Direction) (int64, error)
	// Changed reports whether the file is no longer the one that was opened.
	Changed() bool

	// Player replays the day. The first call prepares that, which takes longer
	// the longer the day is.
	Player(ctx context.Context) (Player, error)
	// Result is the whole day's; the replay must be at its end.
	Result(ctx context.Context) (replay.Result, error)
	// Report is idem_report.md as Write writes it.
	Report(ctx context.Context) (string, error)
	// Write writes the day's files into the folder, whole or not at all, and
	// returns their names. The replay must be at its end.
	Write(ctx context.Context, dir string) ([]string, error)
	// Obstacle is what can be seen to keep Write from writing into the folder, before
	// there is anything to write; nil for nothing.
	Obstacle(dir string) error
	// Stale are the reports in the folder that an earlier run left there and Write
	// does not write anew.
	Stale(dir string) []string

	Inquiry

	Close() error
}

// Player is what the replay screen needs of [replay.Player].
type Player interface {
	Total() int64
	Frontier() int64
	RunTo(ctx context.Context, n int64, until func(*replay.Step) bool, progress func(done, total int64)) error
	Step(ctx context.Context, n, at int64) (replay.Step, error)
	Steps(ctx context.Context, from, at int64, limit int) ([]replay.Step, error)
	Detail(ctx context.Context, n int64) (replay.Detail, error)
	Counters(ctx context.Context, n int64) (replay.Counters, error)
	Find(ctx context.Context, from int64, dir replay.Direction, t replay.Target) (int64, error)
	Breach() (replay.Breach, bool)
	Rank(ctx context.Context, r replay.Ranking) (replay.Part, error)
}
