package replay

import (
	"context"
	"errors"
	"sync"

	"idem/analysis"
	"idem/engine"
)

// Player replays one incident under one policy. It is safe for concurrent use;
// calls wait for each other.
type Player struct {
	mu     sync.Mutex
	in     *analysis.Incident
	policy engine.Policy
	total  int64
}

// ErrEnd: there is no position beyond the last request.
var ErrEnd = errors.New("end of the day")

// New prepares a replay of an incident whose day.db and journal live in dir, a
// private folder that the caller removes after Close.
func New(ctx context.Context, in *analysis.Incident, policy engine.Policy, dir string) (*Player, error) {
	return nil, errors.New("not written yet")
}

// Total is the number of requests of the day.
func (p *Player) Total() int64 { return p.total }

// Frontier is how many requests have been sent through the engine.
func (p *Player) Frontier() int64 { return 0 }

// Next sends the request after the frontier through the engine and returns its
// step, or ErrEnd.
func (p *Player) Next(ctx context.Context) (Step, error) { return Step{}, ErrEnd }

// RunTo sends requests until the frontier is n, or ctx ends, or until (may be
// nil) returns true for a step. Progress (may be nil) is told now and then.
func (p *Player) RunTo(ctx context.Context, n int64, until func(*Step) bool, progress func(done, total int64)) error {
	return nil
}

// Step is the step at position at, 1 <= n <= at <= Frontier, as seen from there.
func (p *Player) Step(ctx context.Context, n, at int64) (Step, error) { return Step{}, ErrEnd }

// Steps are up to limit steps from position from on, as seen from position at.
func (p *Player) Steps(ctx context.Context, from, at int64, limit int) ([]Step, error) {
	return nil, nil
}

// Detail is the step at position n with its request and records, as seen from n.
func (p *Player) Detail(ctx context.Context, n int64) (Detail, error) { return Detail{}, ErrEnd }

// Counters are the sums up to position n <= Frontier; the zero position has zero sums.
func (p *Player) Counters(ctx context.Context, n int64) (Counters, error) {
	return Counters{}, nil
}

// Direction of a search.
type Direction int

// Directions.
const (
	Forward  Direction = 1
	Backward Direction = -1
)

// Target is what to look for. The zero Target matches nothing.
type Target struct {
	Classes   []Class // any of these
	Duplicate bool    // or a retry whose v1 transfer is an extra one
}

// Find looks for the nearest matching position up to the frontier, from (not
// including) position from; 0 when there is none.
func (p *Player) Find(ctx context.Context, from int64, dir Direction, t Target) (int64, error) {
	return 0, nil
}

// Result is the whole day's; it fails while the frontier is not at the end. The
// figures were checked against queries on day.db.
func (p *Player) Result(ctx context.Context) (Result, error) { return Result{}, nil }

// DayDB is the path of the replayed ledger; after Result it is complete and closed to writes.
func (p *Player) DayDB() string { return "" }

// Close releases the player.
func (p *Player) Close() error { return nil }
