package sqlitestore

import (
	"database/sql"
	"database/sql/driver"
	"fmt"

	"idem/engine"
)

// SQL runs statements of the caller's own inside the store's transaction, so
// that an effect's own tables are committed with its result. It is valid as
// long as the transaction it came from.
type SQL struct{ t *tx }

// SQLTx gives the SQL behind a transaction of a [Store]; ok is false for others,
// a [Bulk]'s among them, which has methods for it.
func SQLTx(t engine.Tx) (SQL, bool) {
	own, ok := t.(*tx)
	return SQL{own}, ok
}

// Exec runs one statement and returns how many rows it changed. Arguments are
// int, int64, float64, bool, string, []byte or nil.
func (s SQL) Exec(query string, args ...any) (changed int64, err error) {
	if s.t.readOnly {
		return 0, errReadOnly
	}
	changed, err = s.t.s.c.exec(query, args...)
	return changed, s.t.wrote("execute", err)
}

// QueryRow reads the first row of a query.
func (s SQL) QueryRow(query string, args ...any) Row {
	return queryRow(s.t.s.c, query, args)
}

// Row is the first row of a query.
type Row struct {
	values []driver.Value
	err    error
}

func queryRow(c *conn, query string, args []any) Row {
	values, err := c.row(query, args...)
	if err == nil && values == nil {
		err = sql.ErrNoRows
	}
	return Row{values, wrapped("query", err)}
}

// Scan copies the row's columns into *int64, *string, *[]byte, *bool or *any.
// It fails with [sql.ErrNoRows] when there is no row, and when a column has
// another type; NULL fits *[]byte and *any only.
func (r Row) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	if len(into) != len(r.values) {
		return fmt.Errorf("scan: %d columns into %d places", len(r.values), len(into))
	}
	for i, v := range r.values {
		if !assign(into[i], v) {
			return fmt.Errorf("scan: column %d is a %T, its place a %T", i+1, v, into[i])
		}
	}
	return nil
}

func assign(into any, v driver.Value) (ok bool) {
	switch into := into.(type) {
	case *any:
		*into, ok = v, true
	case *int64:
		*into, ok = v.(int64)
	case *string:
		*into, ok = v.(string)
	case *bool:
		var n int64
		n, ok = v.(int64)
		*into = n != 0
	case *[]byte:
		*into, ok = v.([]byte)
		ok = ok || v == nil
	}
	return ok
}
