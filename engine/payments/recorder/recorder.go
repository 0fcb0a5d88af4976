package recorder

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"idem/crash"
	"idem/engine"
)

// Bounds of what waits to be written.
const (
	maxEntries = 4096
	maxBytes   = 64 << 20 // bodies and keys
	maxBatch   = 256      // entries in one transaction
)

// Entry is one request and what became of it.
type Entry struct {
	Seq        int64 // from [Recorder.NextSeq], drawn when the request arrived
	ReceivedAt time.Time
	Request    engine.Request // Endpoint is the path; the body is not copied
	Duration   time.Duration
	Status     int
	Attempt    int
	Outcome    string
	Transfer   *engine.Transfer // what the request moved; nil for nothing
}

func (e *Entry) size() int64 { return int64(len(e.Request.Body) + len(e.Request.Key)) }

// Recorder writes entries in the background. It is safe for concurrent use.
type Recorder struct {
	file    *file
	dropped func(entries int, err error)
	seq     atomic.Int64
	queue   chan Entry
	bytes   atomic.Int64
	done    chan struct{}
	fell    *crash.Panic // of the writer, once it is done; nil for none

	mu     sync.RWMutex
	closed bool
}

// ErrFull is why an entry was dropped when the writer does not keep up.
var ErrFull = errors.New("recorder's queue is full")

// Open creates the file at path or goes on with it. accounts are written with
// their balances unless they are there. dropped is told how many entries were
// lost and why; it must be quick and safe for concurrent use.
func Open(ctx context.Context, path string, accounts []engine.Account, dropped func(entries int, err error)) (*Recorder, error) {
	f, last, err := openFile(ctx, path, accounts)
	if err != nil {
		return nil, err
	}
	r := &Recorder{file: f, dropped: dropped, queue: make(chan Entry, maxEntries), done: make(chan struct{})}
	r.seq.Store(last)
	// What was recorded is written also when the server is stopping.
	go r.write(context.WithoutCancel(ctx))
	return r, nil
}

// NextSeq is the position of a request in the log, to be drawn when it arrives:
// entries are written when requests end, in another order.
func (r *Recorder) NextSeq() int64 { return r.seq.Add(1) }

// Add hands an entry to the writer. It never waits.
func (r *Recorder) Add(e Entry) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed || r.bytes.Add(e.size()) > maxBytes {
		r.drop(e)
		return
	}
	select {
	case r.queue <- e:
	default:
		r.drop(e)
	}
}

func (r *Recorder) drop(e Entry) {
	if !r.closed {
		r.bytes.Add(-e.size())
	}
	r.dropped(1, ErrFull)
}

// Close writes what is queued and closes the file. A panic of the writer, after
// which all entries are dropped, is its error.
func (r *Recorder) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	close(r.queue)
	r.mu.Unlock()
	<-r.done
	err := r.file.close()
	if r.fell != nil {
		return errors.Join(r.fell, err)
	}
	return err
}

// write empties the queue, as many entries in a transaction as wait for it.
func (r *Recorder) write(ctx context.Context) {
	defer close(r.done)
	batch := make([]Entry, 0, maxBatch)
	defer crash.Catch(func(p *crash.Panic) {
		r.fell = p
		why := errors.New(p.Kind()) // what it says itself may be data
		r.dropped(len(batch), why)
		for range r.queue { // until Close, so that each is told
			r.dropped(1, why)
		}
	})
	for e := range r.queue {
		batch = append(batch[:0], e)
		for len(batch) < maxBatch && len(r.queue) > 0 {
			next, ok := <-r.queue
			if !ok {
				break
			}
			batch = append(batch, next)
		}
		if lost, err := r.insert(ctx, batch); err != nil {
			r.dropped(lost, err)
		}
		for i := range batch {
			r.bytes.Add(-batch[i].size())
		}
		clear(batch) // bodies need not live until the next batch
	}
}

// insert writes a batch and tells how many entries of it are lost. One that the
// file does not take must not cost the others.
func (r *Recorder) insert(ctx context.Context, batch []Entry) (lost int, err error) {
	err = r.file.insert(ctx, batch)
	if err == nil {
		return 0, nil
	}
	if len(batch) == 1 || !errors.As(err, new(*rowError)) {
		return len(batch), err
	}
	for i := range batch {
		if rowErr := r.file.insert(ctx, batch[i:i+1]); rowErr != nil {
			lost, err = lost+1, rowErr
		}
	}
	return lost, err
}
