package replay

import (
	"context"

	"idem/analysis"
	"idem/crash"
	"idem/engine"
)

// batch is how many rows are handed over at once: enough to make the hand-over
// cheap, few enough to be no memory to speak of.
const batch = 256

type prepared struct {
	rows []Row
	err  error
}

// Stream reads a day and prepares its rows ahead of those who use them. It
// belongs to one goroutine.
type Stream struct {
	in    <-chan prepared
	stop  context.CancelFunc
	ahead []Row // read and not yet dropped
	err   error
}

// Read begins to read a day, for courses under any of the policies. The stream
// ends with ctx, and must be closed before the day is.
func Read(ctx context.Context, day Source, policies ...engine.Policy) *Stream {
	ctx, stop := context.WithCancel(ctx)
	out := make(chan prepared, 4)
	go func() {
		defer close(out)
		defer crash.Catch(func(p *crash.Panic) {
			select {
			case out <- prepared{err: p}:
			case <-ctx.Done():
			}
		})
		prepareAll(ctx, day, policies, out)
	}()
	return &Stream{in: out, stop: stop}
}

// prepareAll hands over the rows of a day in batches, until ctx ends.
func prepareAll(ctx context.Context, day Source, policies []engine.Policy, out chan<- prepared) {
	send := func(p prepared) bool {
		select {
		case out <- p:
			return true
		case <-ctx.Done():
			return false
		}
	}
	rows := make([]Row, 0, batch)
	for req, err := range day.Requests(ctx, 1) {
		if err != nil {
			send(prepared{rows, err})
			return
		}
		rows = append(rows, prepare(&req, policies))
		if len(rows) == batch {
			if !send(prepared{rows: rows}) {
				return
			}
			rows = make([]Row, 0, batch)
		}
	}
	send(prepared{rows: rows})
}

// Peek gives the row that is i rows ahead; ok is false beyond the last one.
func (s *Stream) Peek(i int) (r *Row, ok bool, err error) {
	for len(s.ahead) <= i {
		if s.err != nil {
			return nil, false, s.err
		}
		more, open := <-s.in
		if !open {
			return nil, false, nil
		}
		s.ahead = append(s.ahead, more.rows...)
		s.err = crash.Again(more.err)
	}
	return &s.ahead[i], true, nil
}

// Drop lets go of the row that Peek(0) gives.
func (s *Stream) Drop() { s.ahead = s.ahead[1:] }

// Batch gives the next rows of the day and lets go of them; none at its end.
func (s *Stream) Batch() ([]Row, error) {
	if _, _, err := s.Peek(0); err != nil {
		return nil, err
	}
	rows := s.ahead
	s.ahead = nil
	return rows, nil
}

// Close ends the reading and waits for it.
func (s *Stream) Close() {
	s.stop()
	for range s.in { // the reader must be gone before the day closes
	}
}

var _ Source = (*analysis.Incident)(nil)
