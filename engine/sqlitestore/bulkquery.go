package sqlitestore

import (
	"context"
	"database/sql/driver"

	"idem/engine"
)

// Script runs statements of the caller's own, separated by semicolons, in the
// open transaction.
func (b *Bulk) Script(text string) error {
	return b.operate(context.Background(), "run script", false, func() error { return b.s.c.script(text) })
}

// Query calls each for every row of a query, in the open transaction and with
// all balances written. each must not call the store.
func (b *Bulk) Query(ctx context.Context, query string, args []any, each func(Row) error) error {
	return b.operate(ctx, "query", false, func() error {
		if err := b.s.flush(); err != nil {
			return err
		}
		return b.s.c.query(query, args, func(values []driver.Value) error {
			return each(Row{values: values})
		})
	})
}

// SkipFences makes the next token given out at least next. Tokens only grow, so
// one that was given out never comes back; a replay numbers its claims by the
// requests that make them.
func (b *Bulk) SkipFences(next engine.Fence) error {
	return b.operate(context.Background(), "skip fence tokens", false, func() error {
		b.s.last = max(b.s.last, next-1)
		return nil
	})
}
