package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"idem/engine"
)

// BulkOptions are the settings of a [Bulk]; the zero value is good.
type BulkOptions struct {
	// Stage is how many operations are kept in memory before they are written;
	// 16,384 if zero.
	Stage int
}

// Bulk is the store of a day that can be made again. It is for one user: no
// other process may write the file while it is open, and others see what was
// written after [Bulk.Flush].
//
// An operation decides in memory, where its result is staged with those of some
// thousand more. A full stage is written while the next one fills: each record
// once, as it stands then, and in the order of the keys, which is what a file
// takes best. What is staged is found like what is written, so that nobody sees
// the difference. Nothing waits for the disk and nothing written is undone: a
// power cut or a failed write loses the file, and after one every call fails.
type Bulk struct {
	mu      sync.Mutex // one operation at a time
	size    int        // operations that fill a stage
	stage   *stage     // what the file does not have yet
	writing *stage     // the full one before it while it is written, else nil
	spare   *stage
	wrote   chan error // tells once how writing went

	file sync.Mutex // the writer gives it away after every few rows
	s    *session
	open bool // a transaction is open

	accounts keptAccounts
	seen     filter
	last     engine.Fence
	broken   error
}

var _ engine.Store = (*Bulk)(nil)

// OpenBulk opens a file, made when missing, for bulk work.
func OpenBulk(ctx context.Context, path string, o BulkOptions) (*Bulk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := createFile(path, false); err != nil {
		return nil, fmt.Errorf("open bulk store: %w: %w", engine.ErrUnavailable, err)
	}
	b := &Bulk{size: o.Stage, stage: newStage(), wrote: make(chan error, 1)}
	if b.size <= 0 {
		b.size = 1 << 14
	}
	if err := b.connect(path); err != nil {
		return nil, fmt.Errorf("open bulk store: %w", classed(err))
	}
	b.accounts = keptAccounts{bound: 1 << 16, kept: make(map[string]*keptAccount), read: b.readAccount}
	return b, nil
}

func (b *Bulk) connect(path string) error {
	// Larger pages make fewer of them: a third less time for a day of keys that
	// come in no order. A file that exists keeps its own.
	c, err := connect(path, "page_size = 8192", "busy_timeout = 5000", "journal_mode = MEMORY", "synchronous = OFF",
		"cache_size = -32768", "temp_store = MEMORY")
	if err != nil {
		return err
	}
	if err = ensureSchema(c, false); err == nil {
		// Nothing is undone from here on.
		err = c.script("PRAGMA journal_mode = OFF")
	}
	if err == nil {
		b.s = &session{c: c}
		err = b.s.readCounters()
		b.last = b.s.last
	}
	if err == nil {
		b.seen.everything, err = c.used()
	}
	if err != nil {
		return errors.Join(err, c.close())
	}
	return nil
}

// used reports whether the file has a record or a transfer.
func (c *conn) used() (bool, error) {
	row, err := c.row(sqlUsed)
	if err != nil {
		return false, err
	}
	return len(row) == 1 && row[0] != int64(0), nil
}

// Claim is [engine.Store.Claim].
func (b *Bulk) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (v engine.Verdict, err error) {
	err = b.operate(ctx, "claim key", func() error {
		v, err = b.claim(c, p)
		return err
	})
	return v, err
}

func (b *Bulk) claim(c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	c.Now = engine.UTC(c.Now)
	existing, err := b.record(c.Key)
	if err != nil {
		return engine.Verdict{}, fmt.Errorf("read record: %w", err)
	}
	v, err := engine.Decide(existing, c, b.last+1, p)
	if err != nil || v.Outcome != engine.Fresh {
		return v, err
	}
	if _, err := v.Record.Instants(); err != nil {
		return engine.Verdict{}, fmt.Errorf("write record: %w", err)
	}
	b.last = v.Record.Fence
	b.put(v.Record)
	return v, nil
}

// Complete is [engine.Store.Complete].
func (b *Bulk) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (r engine.Record, settled engine.Settlement, err error) {
	err = b.operate(ctx, "complete claim", func() error {
		r, settled, err = b.complete(context.WithoutCancel(ctx), c, p, effect)
		return err
	})
	if err != nil {
		return engine.Record{}, 0, err
	}
	return r, settled, nil
}

func (b *Bulk) complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	c.Now = engine.UTC(c.Now)
	existing, err := b.record(c.Key)
	if err != nil {
		return engine.Record{}, 0, fmt.Errorf("read record: %w", err)
	}
	if !engine.Holds(existing, c, p) {
		return engine.Record{}, engine.Lost, nil
	}
	t := &bulkTx{b: b, claim: existing}
	reply, err := result(ctx, effect, t, &t.failed)
	if err != nil {
		return engine.Record{}, 0, err
	}
	next, settled := engine.Settle(*existing, c, reply, p)
	if settled == engine.Released {
		b.stage.records[c.Key] = nil
		return next, settled, nil
	}
	if _, err := next.Instants(); err != nil {
		return engine.Record{}, 0, fmt.Errorf("store result: %w", err)
	}
	b.put(next)
	return next, settled, nil
}

// put stages a record.
func (b *Bulk) put(r engine.Record) {
	b.stage.records[r.Key] = &r
	b.stage.weight += len(r.Reply.Body)
	b.seen.add(keyHash(r.Key))
}

// Purge is [engine.Store.Purge].
func (b *Bulk) Purge(ctx context.Context, cutoff, now time.Time, limit int) (n int, err error) {
	err = b.direct(ctx, "purge", func(c *conn) error {
		n, err = c.purge(cutoff, now, limit)
		return err
	})
	return n, err
}

// View is [engine.Store.View].
func (b *Bulk) View(ctx context.Context, fn func(engine.Tx) error) error {
	return b.operate(ctx, "view", func() error { return fn(&bulkTx{b: b, readOnly: true}) })
}

// Update is [engine.Store.Update].
func (b *Bulk) Update(ctx context.Context, fn func(engine.Tx) error) error {
	return b.operate(ctx, "update", func() error {
		t := &bulkTx{b: b}
		if err := fn(t); err != nil {
			return err
		}
		return t.failed
	})
}

// operate runs one operation on the stage. Its error undoes it and nothing else.
func (b *Bulk) operate(ctx context.Context, what string, op func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.ready(ctx)
	if err == nil {
		err = b.atomically(op)
	}
	if err == nil && b.stage.full(b.size) {
		err = b.hand()
	}
	return wrapped(what, err)
}

func (b *Bulk) ready(ctx context.Context) error {
	if b.broken != nil {
		return b.broken
	}
	if err := ctx.Err(); err != nil || len(b.accounts.kept) <= b.accounts.bound {
		return err
	}
	// What the file has can be read again.
	err := b.drain()
	clear(b.accounts.kept)
	return err
}

func (b *Bulk) atomically(op func() error) error {
	b.stage.operations++
	mark, last, undone := b.stage.mark(), b.last, true
	defer func() {
		if undone { // also when op panics
			b.stage.undo(mark)
			b.accounts.undo()
			b.last = last
		}
		b.accounts.done()
	}()
	if err := op(); err != nil {
		return err
	}
	undone = false
	return nil
}

// direct runs statements on the file, which has everything by then.
func (b *Bulk) direct(ctx context.Context, what string, run func(*conn) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.broken
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = b.drain()
	}
	if err == nil {
		err = b.begin()
	}
	if err == nil {
		err = run(b.s.c)
		if errors.Is(classed(err), engine.ErrUnavailable) && primaryCode(err) != 0 {
			b.broken = classed(err)
		}
	}
	return wrapped(what, err)
}

// Flush commits: other connections see everything after it.
func (b *Bulk) Flush(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken != nil {
		return fmt.Errorf("flush: %w", b.broken)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return wrapped("flush", b.commit())
}

// Close flushes and closes the file.
func (b *Bulk) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors.Is(b.broken, errClosed) {
		return nil
	}
	var err error
	if b.broken == nil {
		err = b.commit()
	}
	b.broken = errClosed
	if err = errors.Join(err, b.s.c.close()); err != nil {
		return fmt.Errorf("close: %w", classed(err))
	}
	return nil
}

func (b *Bulk) commit() error {
	if err := b.drain(); err != nil || !b.open {
		return err
	}
	b.open = false
	return b.failed(b.s.commit())
}
