package sqlitestore

import (
	"context"
	"database/sql/driver"
	"fmt"

	"idem/engine"
)

// Exec has a statement on the caller's own tables run in its turn, before the
// next query; that is also where its failure shows. Statements are kept
// prepared. Arguments are int, int64, float64, bool, string, []byte or nil.
func (b *Bulk) Exec(query string, args ...any) error {
	return b.operate(context.Background(), "execute", func() error {
		for i, arg := range args {
			if !bindable(arg) {
				return fmt.Errorf("argument %d is a %T, must be int, int64, float64, bool, string, []byte or nil", i+1, arg)
			}
		}
		st := b.stage
		st.args = append(st.args, args...)
		st.calls = append(st.calls, call{query, len(st.args)})
		return nil
	})
}

// Script runs statements of the caller's own, separated by semicolons, at once.
func (b *Bulk) Script(text string) error {
	return b.direct(context.Background(), "run script", func(c *conn) error { return c.script(text) })
}

// QueryRow reads the first row of a query over all that was done; see [Row.Scan].
func (b *Bulk) QueryRow(query string, args ...any) (row Row) {
	row.err = b.direct(context.Background(), "query", func(c *conn) error {
		row = queryRow(c, query, args)
		return row.err
	})
	return row
}

// Query calls each for every row of a query over all that was done. each must
// not call the store.
func (b *Bulk) Query(ctx context.Context, query string, args []any, each func(Row) error) error {
	return b.direct(ctx, "query", func(c *conn) error {
		return c.query(query, args, func(values []driver.Value) error {
			return each(Row{values: values})
		})
	})
}

// SkipFences makes the next token given out at least next. Tokens only grow, so
// one that was given out never comes back; a replay numbers its claims by the
// requests that make them.
func (b *Bulk) SkipFences(next engine.Fence) error {
	return b.operate(context.Background(), "skip fence tokens", func() error {
		b.last = max(b.last, next-1)
		return nil
	})
}
