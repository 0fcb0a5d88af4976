package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"idem/crash"
	"idem/engine"
	"idem/engine/fault"
)

// maxBatch bounds the operations of one commit, and with it how long the first
// of them waits for the last.
const maxBatch = 256

// operation is one call on its way through the writer.
type operation struct {
	ctx context.Context
	run func(*session) error
	// again looks, after a commit that failed, whether the operation stands in
	// the file. Nil where nobody needs to know.
	again func(*session) (bool, error)
	// steady operations are not dropped when their context ends in the queue.
	steady bool

	err      error
	panicked any
	done     chan struct{}
}

// writer is the one goroutine that writes. What is queued while it waits for
// the disk shares its next commit: one fsync for all instead of one for each.
type writer struct {
	s     *session
	batch int
	queue chan *operation
	ended chan struct{}
	fault error // of closing
	// commit is the session's, and another one where a test makes it fail.
	commit func() error

	// mu is held for reading while an operation is queued, so that close does
	// not close the queue under it.
	mu     sync.RWMutex
	closed bool
}

func startWriter(s *session, batch int) *writer {
	w := &writer{s: s, batch: batch, queue: make(chan *operation, batch), ended: make(chan struct{}), commit: s.commit}
	go w.loop()
	return w
}

// do runs an operation and returns when it is committed, or did not happen.
// Errors are the engine's, op's own, or the context's when its turn did not come.
func (w *writer) do(ctx context.Context, op *operation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	op.ctx, op.done = ctx, make(chan struct{})
	if err := w.enqueue(op); err != nil {
		return err
	}
	<-op.done
	if op.panicked != nil {
		panic(op.panicked) // on the goroutine of whoever passed the function
	}
	return op.err
}

func (w *writer) enqueue(op *operation) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	w.queue <- op
	return nil
}

func (w *writer) close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.ended
	return w.fault
}

func (w *writer) loop() {
	defer close(w.ended)
	for first := range w.queue {
		ops := w.gather(first)
		w.guarded(ops)
		for _, op := range ops {
			op.err = classed(op.err)
			close(op.done)
		}
	}
	w.fault = w.s.c.close()
}

// guarded hands a panic of the writer itself to whoever waits: a goroutine of its
// own would end the program. What became of the operations is not known then, and
// a transaction that stays open lets none follow.
func (w *writer) guarded(ops []*operation) {
	defer crash.Catch(func(p *crash.Panic) {
		for _, op := range ops {
			op.panicked = p
		}
	})
	w.write(ops)
}

// gather takes what is queued, without waiting for more.
func (w *writer) gather(first *operation) []*operation {
	ops := []*operation{first}
	for len(ops) < w.batch {
		select {
		case op, open := <-w.queue:
			if !open {
				return ops
			}
			ops = append(ops, op)
		default:
			return ops
		}
	}
	return ops
}

// write runs the operations in one transaction, each in a savepoint, and leaves
// its error in each.
func (w *writer) write(ops []*operation) {
	if err := w.begin(); err != nil {
		failAll(ops, err)
		return
	}
	for i, op := range ops {
		if op.err = op.ctx.Err(); op.err == nil || op.steady {
			op.err = w.attempt(op)
		}
		if errors.Is(op.err, errAborted) {
			failAll(ops[i+1:], op.err)
			w.afterFailedCommit(ops, op.err)
			return
		}
	}
	if err := w.finish(); err != nil {
		w.afterFailedCommit(ops, err)
	}
}

func (w *writer) begin() error {
	if err := fault.Point(fault.BeforeBegin); err != nil {
		return err
	}
	return w.s.begin()
}

func (w *writer) finish() error {
	if err := w.s.flush(); err != nil {
		return err
	}
	if err := fault.Point(fault.BeforeCommit); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	return fault.Point(fault.AfterCommit)
}

// attempt runs one operation. A panic of its function undoes it and goes to the
// caller; the writer lives on.
func (w *writer) attempt(op *operation) (err error) {
	defer func() {
		if op.panicked = recover(); op.panicked != nil {
			err = nil
		}
	}()
	return w.s.atomically(func() error { return op.run(w.s) })
}

// afterFailedCommit finds out what became of the operations. The transaction is
// ended, and each operation that had succeeded looks whether it is in the file:
// if so it stands, if not it failed and may be sent again, and if that cannot be
// read the outcome is unknown. Nothing is run again.
func (w *writer) afterFailedCommit(ops []*operation, cause error) {
	// There may be no transaction left to end: the failed COMMIT may have.
	_ = w.s.rollback()
	for _, op := range ops {
		if op.err != nil || op.panicked != nil {
			continue
		}
		if op.again == nil {
			op.err = fmt.Errorf("%w: %w", engine.ErrUnknownCommit, cause)
			continue
		}
		switch stands, err := op.again(w.s); {
		case err != nil:
			op.err = fmt.Errorf("%w: %w", engine.ErrUnknownCommit, errors.Join(cause, err))
		case !stands:
			op.err = fmt.Errorf("%w: commit: %w", engine.ErrUnavailable, cause)
		}
	}
}

func failAll(ops []*operation, err error) {
	for _, op := range ops {
		op.err = err
	}
}
