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
	// CommitEvery is how many operations one transaction holds; 40,000 if zero.
	CommitEvery int
}

// Bulk is the store of a day that can be made again. It is for one user: no
// other process may write the file while it is open, and others see what was
// written after [Bulk.Flush]. It does not wait for the disk, so a power cut or
// a failed commit loses the file. After a failed commit every call fails.
type Bulk struct {
	mu     sync.Mutex
	s      *session
	every  int
	open   bool // a transaction is open
	count  int  // operations in it
	broken error
}

var _ engine.Store = (*Bulk)(nil)

const keptAccounts = 1 << 16

// OpenBulk opens a file, made when missing, for bulk work.
func OpenBulk(ctx context.Context, path string, o BulkOptions) (*Bulk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := createFile(path, false); err != nil {
		return nil, fmt.Errorf("open bulk store: %w: %w", engine.ErrUnavailable, err)
	}
	// Larger pages make fewer of them: a third less time for a day of keys that
	// come in no order. A file that exists keeps its own.
	// The journal in memory lets an operation be undone; it need not survive.
	c, err := connect(path, "page_size = 8192", "busy_timeout = 5000", "journal_mode = MEMORY", "synchronous = OFF",
		"cache_size = -65536", "temp_store = MEMORY")
	if err == nil {
		if err = ensureSchema(c, false); err != nil {
			err = errors.Join(err, c.close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open bulk store: %w", classed(err))
	}
	b := &Bulk{s: newSession(c), every: o.CommitEvery}
	if b.every <= 0 {
		b.every = 40_000
	}
	b.s.claims = make(map[engine.ScopedKey]engine.Record)
	b.s.accounts.bound, b.s.accounts.kept = keptAccounts, make(map[string]*account)
	return b, nil
}

// Claim is [engine.Store.Claim].
func (b *Bulk) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (v engine.Verdict, err error) {
	err = b.operate(ctx, "claim key", false, func() error {
		v, err = b.s.claim(c, p)
		return err
	})
	return v, err
}

// Complete is [engine.Store.Complete].
func (b *Bulk) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (r engine.Record, settled engine.Settlement, err error) {
	err = b.operate(ctx, "complete claim", true, func() error {
		r, settled, err = b.s.complete(context.WithoutCancel(ctx), c, p, effect)
		return err
	})
	if err != nil {
		return engine.Record{}, 0, err
	}
	return r, settled, nil
}

// Purge is [engine.Store.Purge].
func (b *Bulk) Purge(ctx context.Context, cutoff, now time.Time, limit int) (n int, err error) {
	err = b.operate(ctx, "purge", true, func() error {
		n, err = b.s.purge(cutoff, now, limit)
		return err
	})
	return n, err
}

// View is [engine.Store.View]; it sees what is not yet flushed, too.
func (b *Bulk) View(ctx context.Context, fn func(engine.Tx) error) error {
	return b.operate(ctx, "view", false, func() error { return fn(&tx{s: b.s, readOnly: true}) })
}

// Update is [engine.Store.Update].
func (b *Bulk) Update(ctx context.Context, fn func(engine.Tx) error) error {
	return b.operate(ctx, "update", true, func() error { return b.s.update(fn) })
}

// Exec runs a statement on the caller's own tables, in the open transaction,
// and returns how many rows it changed. Statements are kept prepared. Arguments
// are int, int64, float64, bool, string, []byte or nil.
func (b *Bulk) Exec(query string, args ...any) (changed int64, err error) {
	err = b.operate(context.Background(), "execute", false, func() error {
		changed, err = b.s.c.exec(query, args...)
		return err
	})
	return changed, err
}

// QueryRow reads the first row of a query, in the open transaction and with
// all balances written; see [Row.Scan].
func (b *Bulk) QueryRow(query string, args ...any) (row Row) {
	row.err = b.operate(context.Background(), "query", false, func() error {
		if err := b.s.flush(); err != nil {
			return err
		}
		row = queryRow(b.s.c, query, args)
		return row.err
	})
	return row
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
	if err := b.commit(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

// Close flushes and closes the file.
func (b *Bulk) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors.Is(b.broken, errClosed) {
		return nil
	}
	err := b.commit()
	b.broken = errClosed
	if err = errors.Join(err, b.s.c.close()); err != nil {
		return fmt.Errorf("close: %w", classed(err))
	}
	return nil
}

// operate runs one operation in the open transaction, undone as a whole when it
// fails if it may write more than one statement.
func (b *Bulk) operate(ctx context.Context, what string, several bool, op func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.ready(ctx)
	switch {
	case err != nil:
	case several:
		err = b.s.atomically(op)
	default:
		err = op()
		b.s.accounts.done()
	}
	if err == nil {
		err = b.counted()
	}
	if err == nil {
		return nil
	}
	err = classed(err)
	if primaryCode(err) != 0 && errors.Is(err, engine.ErrUnavailable) {
		// SQLite may have ended the transaction, and what was answered with it.
		b.broken = err
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (b *Bulk) ready(ctx context.Context) error {
	if b.broken != nil {
		return b.broken
	}
	if err := ctx.Err(); err != nil || b.open {
		return err
	}
	if err := b.s.begin(); err != nil {
		return err
	}
	b.open = true
	return nil
}

func (b *Bulk) counted() error {
	if b.count++; b.count < b.every {
		return nil
	}
	return b.commit()
}

func (b *Bulk) commit() error {
	b.count = 0
	if !b.open {
		return nil
	}
	b.open = false
	err := b.s.flush()
	if err == nil {
		err = b.s.commit()
	}
	if err != nil {
		b.broken = fmt.Errorf("%w: commit failed, make the file again: %w", engine.ErrUnavailable, err)
		return b.broken
	}
	return nil
}
