package tables

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"idem/analysis"
	"idem/engine/sqlitestore/sqlfile"
)

func openSQLite(ctx context.Context, path, table string) (*Table, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	// Closing the file by other means would drop SQLite's locks on it, so it is
	// hashed before it is opened.
	size, sum, err := hashed(path)
	if err != nil {
		return nil, err
	}
	reads, remove, err := undisturbed(path)
	if err != nil {
		return nil, err
	}
	db, err := sqlfile.Open(reads, sqlfile.ReadOnly)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	stop := func() error { return errors.Join(db.Close(), remove()) }
	columns, err := columnsOf(ctx, db, table)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	rows, err := db.Query(ctx, "SELECT * FROM "+quoted(table))
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	t := piped(func(w io.Writer) error { return errors.Join(write(w, rows, columns), rows.Close()) }, stop)
	t.Size, t.SHA256 = size, sum
	return t, nil
}

func hashed(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}

// siblings are part of a database that was not closed.
var siblings = []string{"-wal", "-journal"}

// undisturbed is the URI of a database that can be read without leaving files
// beside it: the file itself, or a private copy where a sibling is part of it.
func undisturbed(path string) (uri string, remove func() error, err error) {
	whole := true
	for _, s := range siblings {
		if info, err := os.Stat(path + s); err == nil && info.Size() > 0 {
			whole = false
		}
	}
	if whole {
		return sqlfile.URI(path, "immutable=1"), func() error { return nil }, nil
	}
	dir, err := analysis.PrivateDir("")
	if err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	target := filepath.Join(dir, "copy.db")
	for _, s := range append([]string{""}, siblings...) {
		if err := copied(path+s, target+s); err != nil && (s == "" || !errors.Is(err, fs.ErrNotExist)) {
			return "", nil, errors.Join(analysis.TempError(err), remove())
		}
	}
	return sqlfile.URI(target), remove, nil
}

func copied(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
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
