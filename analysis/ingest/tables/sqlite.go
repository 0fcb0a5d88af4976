package tables

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"idem/analysis"
	"idem/engine/sqlitestore/sqlfile"
)

func openSQLite(ctx context.Context, path, table string) (*Table, error) {
	f, err := analysis.OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	evidence, err := f.Evidence(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	db, err := f.Connect()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	stop := func() error { return errors.Join(db.Close(), f.Close()) }
	columns, err := columnsOf(ctx, db, table)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	rows, err := db.Query(ctx, "SELECT * FROM "+quoted(table))
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	t := piped(func(w io.Writer) error { return errors.Join(write(w, rows, columns), rows.Close()) }, stop)
	t.Size, t.SHA256 = evidence.Size, evidence.SHA256
	return t, nil
}

// columnsOf lists the columns of a table or view; where there is no such table,
// the error names those that are there.
func columnsOf(ctx context.Context, db *sqlfile.DB, table string) ([]string, error) {
	columns, err := texts(ctx, db, "SELECT name FROM pragma_table_info('"+strings.ReplaceAll(table, "'", "''")+"')")
	if err != nil || len(columns) > 0 {
		return columns, err
	}
	tables, err := texts(ctx, db, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' ORDER BY name")
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("there is no table %q; there are %s", table, strings.Join(tables, ", "))
}

func texts(ctx context.Context, db *sqlfile.DB, query string) (list []string, err error) {
	rows, err := db.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		list = append(list, rows.String(0))
	}
	return list, rows.Close()
}

func write(w io.Writer, rows *sqlfile.Stmt, columns []string) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	record := make([]string, len(columns))
	for rows.Next() {
		for i := range record {
			record[i] = rows.String(i)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return errors.Join(rows.Err(), out.Error())
}
