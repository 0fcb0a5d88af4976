package replay

import (
	"context"
	"fmt"
	"iter"
	"time"

	"idem/analysis"
	"idem/engine"
)

// Source is a day: what was received, and the balances before it.
// [analysis.Incident] is one.
type Source interface {
	RequestCount(ctx context.Context) (int64, error)
	Requests(ctx context.Context, from int64) iter.Seq2[analysis.Request, error]
	Accounts(ctx context.Context) ([]analysis.Account, error)
}

// Opening is what a course has to know of a day before its first request.
type Opening struct {
	Total    int64
	Accounts []analysis.Account
	// Start is the first time that can be read: rows before it happen then. 1970
	// where none can be, the zero time of a day without requests.
	Start time.Time
}

// Open reads the opening of a day.
func Open(ctx context.Context, day Source) (o Opening, err error) {
	if o.Total, err = day.RequestCount(ctx); err != nil {
		return o, fmt.Errorf("count requests: %w", err)
	}
	if o.Accounts, err = day.Accounts(ctx); err != nil {
		return o, fmt.Errorf("read accounts: %w", err)
	}
	if o.Total == 0 {
		return o, nil
	}
	o.Start = time.Unix(0, 0).UTC()
	for req, err := range day.Requests(ctx, 1) {
		if err != nil {
			return o, fmt.Errorf("find the day's first time: %w", err)
		}
		if !req.ReceivedAt.IsZero() {
			o.Start = req.ReceivedAt
			break
		}
	}
	return o, nil
}

// Course sends the rows of a day through one store, in the day's own time. It
// knows the clock, the queue of completions, and what each row counts for; it
// keeps no row that is through. A [Player] is a course with a journal. A course
// belongs to one goroutine.
type Course struct {
	store    engine.Store
	policy   engine.Policy
	past     past
	clock    clock
	queue    queue
	inFlight map[engine.Fence]*running // by life
	books    books
	sums     Counters
	options  Options
	// abandoned are the requests whose worker crashed or stalled, in their order.
	abandoned []*running
	sent      Sent  // of the last Send
	watched   Event // the last one told
}

// past is what a course asks of the steps that it has let go of.
type past interface {
	// began notes that the claim of a position began, or took over, a life.
	began(life engine.Fence, n int64)
	// holder is the position of the latest claim of a life.
	holder(life engine.Fence) (int64, error)
}

// NewCourse opens the day's accounts in the store, which must be empty.
func NewCourse(ctx context.Context, day Opening, store engine.Store, policy engine.Policy, o Options) (*Course, error) {
	var p past = lives{}
	if o.Lean {
		p = oblivion{}
	}
	return newCourse(ctx, day, store, policy, o, p)
}

func newCourse(ctx context.Context, day Opening, store engine.Store, policy engine.Policy, o Options, past past) (*Course, error) {
	if err := policy.Validate(); err != nil {
		return nil, err
	}
	c := &Course{store: store, policy: policy, options: o, past: past,
		clock: clock{day.Start}, inFlight: map[engine.Fence]*running{}}
	err := store.Update(ctx, func(tx engine.Tx) error {
		for _, a := range day.Accounts {
			account := engine.Account{ID: a.ID, Integer: a.Integer, Holder: a.Holder, Balance: a.Balance}
			if err := tx.OpenAccount(ctx, account); err != nil {
				return err
			}
			if !o.Lean {
				c.books.open(a.ID, a.Balance)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open accounts: %w", err)
	}
	return c, nil
}

// lives remembers in memory which position began a life.
type lives map[engine.Fence]int64

func (l lives) began(life engine.Fence, n int64) { l[life] = n }

func (l lives) holder(life engine.Fence) (int64, error) { return l[life], nil }

// oblivion remembers nothing.
type oblivion struct{}

func (oblivion) began(engine.Fence, int64)          {}
func (oblivion) holder(engine.Fence) (int64, error) { return 0, nil }

// Sent is what sending one row did. It is valid until the next one is sent.
type Sent struct {
	// Step is what became of the row; Running where its end is still to come.
	Step Step
	// Late are steps of earlier rows that ended before the next one arrives.
	Late []*Step
	// Extra are positions of rows turned away earlier, or of this one, whose v1
	// transfers have turned out to be duplicates.
	Extra []int64
	// Delta is by how much the counters changed.
	Delta Counters
}

// Sums are the counters after the rows so far.
func (c *Course) Sums() (sums Counters, err error) {
	err = sums.add(&c.sums)
	return sums, err
}

// Now is the course's clock.
func (c *Course) Now() time.Time { return c.clock.now }
