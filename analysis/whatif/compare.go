package whatif

import (
	"context"
	"fmt"
	"sync"
	"time"

	"idem/analysis/replay"
	"idem/engine"
)

// Options of a comparison; the zero value is good.
type Options struct {
	// Replay is done to the day under every policy.
	Replay replay.Options
	// Progress, which may be nil, is told how many rows of how many were handed
	// to the policies.
	Progress func(done, total int64)
	// Each, which may be nil, is told what became of each row under each case, once
	// that is final; at is the case's index. Calls of different cases come from
	// different goroutines at the same time. An error ends the comparison.
	Each func(at int, r *replay.Row, s *replay.Step) error
	// Memory is about how many bytes the records of all policies may take at
	// once; 512 MiB if zero. Where they would take more, the day is read again
	// for the rest of the policies.
	Memory int64
}

const (
	defaultMemory = 512 << 20
	// recordBytes is what one key takes in one policy's store, measured.
	recordBytes = 250
)

// Comparison is one day under several policies.
type Comparison struct {
	Requests   int64         // rows of req_log
	Keys       int64         // client, endpoint and key
	V1         Payments      // what the unprotected service moved under a usable key
	V1Extra    Payments      // and of that beyond the first of each key
	LongestGap time.Duration // between two sends of one key
	Lines      []Line        // one for each case, in their order
}

// Line is what one policy comes to.
type Line struct {
	Case
	Figures Figures
	// RetentionTooShort: a key is forgotten before its last retry came.
	RetentionTooShort bool
}

// Compare replays the day under each case. The result does not depend on how
// the work is divided. Errors: of the day's reading, of the ledger's sums, ctx's
// own; those of policies wrap [engine.ErrPolicy].
func Compare(ctx context.Context, day replay.Source, cases []Case, o Options) (*Comparison, error) {
	opening, err := replay.Open(ctx, day)
	if err != nil {
		return nil, err
	}
	c := &comparison{day: day, opening: opening, options: o, out: &Comparison{Requests: opening.Total}}
	size := c.groupSize(len(cases))
	c.passes = int64((len(cases) + size - 1) / size)
	for first := 0; first < len(cases); first += size {
		if err := c.pass(ctx, first, cases[first:min(first+size, len(cases))]); err != nil {
			return nil, err
		}
	}
	return c.out, nil
}

type comparison struct {
	day          replay.Source
	opening      replay.Opening
	options      Options
	passes, done int64 // done counts rows handed out in all passes
	out          *Comparison
}

// groupSize is how many policies run at once.
func (c *comparison) groupSize(cases int) int {
	memory := c.options.Memory
	if memory <= 0 {
		memory = defaultMemory
	}
	return max(1, min(cases, int(memory/(recordBytes*max(1, c.opening.Total)))))
}

// parcel is some rows of the day. All policies share it; none changes it.
type parcel struct {
	rows []replay.Row
	tags []tag
}

// pass reads the day once, for some of the cases: those from first on.
func (c *comparison) pass(ctx context.Context, first int, cases []Case) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	runners := make([]*runner, len(cases))
	policies := []engine.Policy{engine.DefaultPolicy()} // for the canonical form
	for i := range cases {
		var err error
		if runners[i], err = newRunner(ctx, c.opening, cases[i], c.options.Replay); err != nil {
			return fmt.Errorf("policy %s: %w", cases[i].Name, err)
		}
		if each := c.options.Each; each != nil {
			runners[i].each = func(r *replay.Row, s *replay.Step) error { return each(first+i, r, s) }
		}
		policies = append(policies, cases[i].Policy)
	}
	stream := replay.Read(ctx, c.day, policies...)
	defer stream.Close()
	truth := newTruth()
	var running sync.WaitGroup
	feeds := make([]chan parcel, len(runners))
	for i, r := range runners {
		feeds[i] = make(chan parcel, 4)
		running.Go(func() {
			for p := range feeds[i] {
				if err := r.feed(ctx, p); err != nil {
					cancel(fmt.Errorf("policy %s: %w", cases[i].Name, err))
					return
				}
			}
		})
	}
	err := c.distribute(ctx, stream, truth, feeds)
	running.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	return c.collect(ctx, cases, runners, truth)
}

// distribute hands every row to every policy, and closes the feeds.
func (c *comparison) distribute(ctx context.Context, stream *replay.Stream, t *truth, feeds []chan parcel) error {
	defer func() {
		for _, f := range feeds {
			close(f)
		}
	}()
	for {
		rows, err := stream.Batch()
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return nil
		}
		p := parcel{rows: rows, tags: make([]tag, len(rows))}
		for i := range rows {
			if p.tags[i], err = t.classify(&rows[i]); err != nil {
				return fmt.Errorf("sum up request %d: %w", rows[i].N(), err)
			}
		}
		for _, f := range feeds {
			select {
			case f <- p:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		c.done += int64(len(rows))
		if c.options.Progress != nil {
			c.options.Progress(c.done, c.passes*c.opening.Total)
		}
	}
}

// collect makes lines of the runners.
func (c *comparison) collect(ctx context.Context, cases []Case, runners []*runner, t *truth) error {
	c.out.Keys, c.out.V1, c.out.V1Extra, c.out.LongestGap = int64(len(t.states)), t.v1, t.extra, t.gap
	for i, r := range runners {
		if err := r.finish(ctx, t); err != nil {
			return fmt.Errorf("policy %s: %w", cases[i].Name, err)
		}
		short := cases[i].Policy.Retention != engine.Forever && t.gap >= cases[i].Policy.Retention
		c.out.Lines = append(c.out.Lines, Line{Case: cases[i], Figures: r.figures, RetentionTooShort: short})
	}
	return nil
}
