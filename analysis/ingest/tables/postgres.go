package tables

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
)

// readOnly is how a server is read: one snapshot, no writes, and texts of times
// and numbers that do not depend on its settings.
const readOnly = `SET timezone = 'UTC'; SET datestyle = 'ISO'; SET extra_float_digits = 1;
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`

func openPostgres(ctx context.Context, dsn, table string) (*Table, error) {
	ctx, cancel := context.WithCancel(ctx)
	conn, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		cancel()
		return nil, err
	}
	stop := func() error {
		cancel()
		return conn.Close(context.WithoutCancel(ctx))
	}
	if _, err := conn.Exec(ctx, readOnly).ReadAll(); err != nil {
		_ = stop()
		return nil, err
	}
	// A table that is not there is told now, not in the middle of an import.
	if _, err := conn.Exec(ctx, "SELECT * FROM "+quoted(table)+" LIMIT 0").ReadAll(); err != nil {
		_ = stop()
		return nil, err
	}
	return piped(func(w io.Writer) error {
		_, err := conn.CopyTo(ctx, w, "COPY (SELECT * FROM "+quoted(table)+") TO STDOUT WITH (FORMAT csv, HEADER true)")
		if err != nil {
			return fmt.Errorf("read table %s: %w", table, err)
		}
		return nil
	}, stop), nil
}
