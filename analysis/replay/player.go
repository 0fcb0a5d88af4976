package replay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"idem/analysis"
	"idem/engine"
	"idem/engine/sqlitestore"
)

// ErrEnd: there is no position beyond the last request.
var ErrEnd = errors.New("end of the day")

// Player replays one incident under one policy. It is safe for concurrent use;
// calls wait for each other.
type Player struct {
	mu     sync.Mutex
	in     *analysis.Incident
	policy engine.Policy
	total  int64
	path   string

	store   *sqlitestore.Bulk
	journal *journal
	rows    *Stream
	course  *Course
	guard   *Guard

	frontier int64
	first    time.Time
	broken   error
}

// New prepares a replay of an incident. Its day.db and journal live in dir, a
// private folder that the caller removes after Close. Closing the incident
// before the player is an error of the caller.
func New(ctx context.Context, in *analysis.Incident, policy engine.Policy, dir string) (*Player, error) {
	return NewWith(ctx, in, policy, dir, Options{})
}

// NewWith is [New] with something done to the day. Options.Forget has no effect.
func NewWith(ctx context.Context, in *analysis.Incident, policy engine.Policy, dir string, o Options) (*Player, error) {
	if err := policy.Validate(); err != nil {
		return nil, err
	}
	day, err := Open(ctx, in)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "day.db")
	store, err := sqlitestore.OpenBulk(ctx, path, sqlitestore.BulkOptions{})
	if err != nil {
		return nil, analysis.TempError(fmt.Errorf("make the replay's ledger: %w", err))
	}
	p := &Player{in: in, policy: policy, total: day.Total, first: day.Start, path: path, store: store}
	if err := p.open(ctx, day, o); err != nil {
		store.Close()
		return nil, analysis.TempError(err)
	}
	return p, nil
}

// open makes the journal and the course, and starts reading the log.
func (p *Player) open(ctx context.Context, day Opening, o Options) (err error) {
	if p.journal, err = newJournal(p.store); err != nil {
		return err
	}
	p.guard = NewGuard(day.Accounts)
	o.Watch = both(p.guard.Watch, o.Watch)
	if p.course, err = newCourse(ctx, day, p.store, p.policy, o, p.journal); err != nil {
		return err
	}
	p.rows = Read(context.WithoutCancel(ctx), p.in, p.policy)
	return nil
}

// both tells two watchers; the second may be nil.
func both(one, two func(*Event)) func(*Event) {
	if two == nil {
		return one
	}
	return func(e *Event) {
		one(e)
		two(e)
	}
}

// Breach is the first invariant that broke up to the frontier; ok is false while
// every one holds.
func (p *Player) Breach() (b Breach, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.guard.Breach()
}

// Total is the number of requests of the day.
func (p *Player) Total() int64 { return p.total }

// Policy is the policy that the day is replayed under.
func (p *Player) Policy() engine.Policy { return p.policy }

// Frontier is how many requests have been sent through the engine.
func (p *Player) Frontier() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frontier
}

// Next sends the request after the frontier through the engine and returns its
// step, or ErrEnd.
func (p *Player) Next(ctx context.Context) (Step, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next(ctx)
}

func (p *Player) next(ctx context.Context) (Step, error) {
	if p.broken != nil {
		return Step{}, p.broken
	}
	if err := ctx.Err(); err != nil {
		return Step{}, err
	}
	r, ok, err := p.rows.Peek(0)
	if err == nil && !ok {
		return Step{}, ErrEnd
	}
	var step Step
	if err == nil {
		step, err = p.send(context.WithoutCancel(ctx), r)
	}
	if err != nil {
		err = fmt.Errorf("replay request %s: %w", p.nextName(r), err)
		p.broken = analysis.TempError(p.in.ExplainSum(ctx, err))
		return Step{}, p.broken
	}
	return step, nil
}

// nextName names the request after the frontier, nil where it cannot be read.
func (p *Player) nextName(r *Row) string {
	if r == nil {
		return strconv.FormatInt(p.frontier+1, 10)
	}
	return fmt.Sprintf("%d (seq %d, key %s)", p.frontier+1, r.seq, strconv.Quote(r.request.Key))
}

// send sends one row and journals what that did.
func (p *Player) send(ctx context.Context, r *Row) (Step, error) {
	next, _, err := p.rows.Peek(1)
	if err != nil {
		return Step{}, err
	}
	// The claim of a request gets its position for a token, so that a record says
	// who made it.
	if err := p.store.SkipFences(engine.Fence(r.n)); err != nil {
		return Step{}, err
	}
	sent, err := p.course.Send(ctx, r, next)
	if err != nil {
		return Step{}, err
	}
	p.rows.Drop()
	p.frontier = sent.Step.N
	p.guard.Sent(sent, &p.course.sums)
	_, sent.Step.Broken = p.guard.Breach()
	return sent.Step, p.journal.write(sent, &p.course.sums)
}

// slice bounds how long RunTo holds the player, so that a screen can look at it
// in between.
const slice = 512

// RunTo sends requests until the frontier is n or the day's end, or ctx ends, or
// until (may be nil) returns true for a step. progress (may be nil) is told the
// frontier now and then.
func (p *Player) RunTo(ctx context.Context, n int64, until func(*Step) bool, progress func(done, total int64)) error {
	for {
		done, err := p.runSlice(ctx, n, until)
		if progress != nil {
			progress(p.Frontier(), p.total)
		}
		if done || err != nil {
			return err
		}
	}
}

func (p *Player) runSlice(ctx context.Context, n int64, until func(*Step) bool) (done bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range slice {
		if p.frontier >= n {
			return true, nil
		}
		step, err := p.next(ctx)
		if errors.Is(err, ErrEnd) {
			return true, nil
		}
		if err != nil {
			return true, err
		}
		if until != nil && until(&step) {
			return true, nil
		}
	}
	return false, nil
}

// DayDB is the path of the replayed ledger. After Result it is complete and
// nothing writes to it any more.
func (p *Player) DayDB() string { return p.path }

// Close ends the replay and releases its files; it does not remove them.
func (p *Player) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows.Close()
	if p.broken == nil {
		p.broken = errors.New("the replay is closed")
	}
	return p.store.Close()
}
