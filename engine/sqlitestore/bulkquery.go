package sqlitestore

import (
	"context"
	"database/sql/driver"
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
