//go:build faults

package simulate

import (
	"context"
	"errors"
	"reflect"
	"time"

	"idem/engine"
)

// call is one operation on its way through a server's store.
type call struct {
	do     func(context.Context, engine.Store) outcome
	ctx    context.Context
	leaves context.CancelFunc // its client's
	steady bool               // it is done all the same when its client has left
	purges bool
	seen   bool // a purge that has come by its place

	spared    bool    // it was made to fail by itself, or its client left in time
	committed bool    // and the reference has done it
	want      outcome // the reference's
	unsure    bool    // the answer to the commit was lost, and its trace, too
}

// outcome is everything that a store can answer.
type outcome struct {
	verdict engine.Verdict
	record  engine.Record
	settled engine.Settlement
	purged  int
	failed  bool
	err     error // of a real store; not compared
}

func (o outcome) same(other outcome) bool {
	o.err, other.err = nil, nil
	return reflect.DeepEqual(o, other)
}

var errAbandoned = errors.New("nobody waits for it any more")

// do takes an operation through the store of a server and compares its answer.
// errAbandoned means that the server has crashed meanwhile.
func (w *world) do(s *server, worker int, c *call) (outcome, error) {
	c.ctx, c.leaves = context.WithCancel(context.Background())
	defer c.leaves()
	s.queue = append(s.queue, c)
	got := c.do(c.ctx, s.store)
	if w.park(s, worker, "answered") != nil {
		return got, errAbandoned
	}
	w.compare(s, c, got)
	return got, nil
}

// compare: what was committed is answered as the reference does, and what was
// not has failed. Where the answer to the commit was lost, what can be found in
// the file must be; of the rest the store may say that it does not know.
func (w *world) compare(s *server, c *call, got outcome) {
	switch {
	case got.failed && c.committed && c.unsure:
		w.Counters.Unknown++
	case got.failed && !c.committed:
		if errors.Is(got.err, engine.ErrBusy) {
			w.Counters.Busy++
		}
	case !c.committed && got.settled == engine.Lost:
		// It would have written nothing anyway.
	case !c.committed:
		w.fail("server %d answers %+v, and nothing was committed", s.n, got)
	case !got.same(c.want):
		w.fail("server %d answers\n%+v\nand the reference\n%+v", s.n, got, c.want)
	}
}

// stands reports whether what was committed left a trace that is there yet.
func (w *world) stands(c *call) bool {
	claimed, kept := c.want.verdict.Outcome == engine.Fresh, c.want.settled == engine.Kept
	wrote := c.want.record
	if claimed {
		wrote = c.want.verdict.Record
	}
	r, err := recordOf(w.model, wrote.Key)
	return err == nil && r != nil && r.Fence == wrote.Fence && (claimed || kept && r.State == engine.Completed)
}

func (w *world) claims(s *server, worker int, claim engine.Claim) (engine.Verdict, error) {
	got, err := w.do(s, worker, &call{do: func(ctx context.Context, store engine.Store) outcome {
		v, err := store.Claim(ctx, claim, w.policy)
		return outcome{verdict: v, failed: err != nil, err: err}
	}})
	return got.verdict, errors.Join(err, got.err)
}

func (w *world) completes(s *server, worker int, done engine.Completion, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	c := &call{steady: true}
	c.do = func(ctx context.Context, store engine.Store) outcome {
		r, settled, err := store.Complete(ctx, done, w.policy, func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			s.current = c
			return effect(ctx, tx)
		})
		return outcome{record: r, settled: settled, failed: err != nil, err: err}
	}
	got, err := w.do(s, worker, c)
	return got.record, got.settled, errors.Join(err, got.err)
}

func (w *world) purgesBefore(s *server, worker int, cutoff time.Time) (int, error) {
	now := w.now
	got, err := w.do(s, worker, &call{purges: true, do: func(ctx context.Context, store engine.Store) outcome {
		n, err := store.Purge(ctx, cutoff, now, 100)
		return outcome{purged: n, failed: err != nil, err: err}
	}})
	return got.purged, errors.Join(err, got.err)
}
