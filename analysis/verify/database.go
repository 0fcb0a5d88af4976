package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"idem/analysis"
	"idem/engine/pgstore"
	"idem/engine/sqlitestore/sqlfile"
)

// Database audits the Postgres database of payment APIs, by its connection
// string, as [Ledger] audits a file: what one instant holds is copied into a
// private file, and the same checks run on it. Errors are
// [analysis.ErrUnreadable], where the database cannot be reached or is none of
// this program's.
func Database(ctx context.Context, dsn string, o Options) (r *Report, err error) {
	dir, done, err := analysis.PrivateDir("")
	if err != nil {
		return nil, fmt.Errorf("make a private copy: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	db, err := sqlfile.Open(sqlfile.URI(filepath.Join(dir, "copy.db")), sqlfile.Create)
	if err != nil {
		return nil, fmt.Errorf("make a private copy: %w", err)
	}
	defer db.Close()
	c := &copying{ctx: ctx, db: db, insert: map[string]*sqlfile.Stmt{}}
	if err := c.all(dsn); err != nil {
		return nil, err
	}
	a := &audit{db: db, o: o, copied: true}
	if err := a.inspect(ctx, "the database"); err != nil {
		return nil, err
	}
	if err := a.run(ctx); err != nil {
		return nil, err
	}
	return &a.report, nil
}

// copying is a copy of a database on its way.
type copying struct {
	ctx    context.Context
	db     *sqlfile.DB
	insert map[string]*sqlfile.Stmt // by table
}

func (c *copying) all(dsn string) error {
	if err := c.exec("copy_tables", "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"); err != nil {
		return fmt.Errorf("make a private copy: %w", err)
	}
	err := pgstore.Dump(c.ctx, dsn, c.row)
	for _, s := range c.insert {
		err = errors.Join(err, s.Close())
	}
	var ours *sqlfile.Error
	switch {
	case err != nil && (errors.As(err, &ours) || c.ctx.Err() != nil):
		return fmt.Errorf("make a private copy: %w", err)
	case err != nil:
		return fmt.Errorf("verify the database: %w: %w", analysis.ErrUnreadable, err)
	}
	if err := c.exec("copy_finish", "COMMIT;"); err != nil {
		return fmt.Errorf("make a private copy: %w", err)
	}
	return nil
}

// exec runs sql/NAME.sql after what comes before it.
func (c *copying) exec(name, before string) error {
	text, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return err
	}
	return c.db.Exec(c.ctx, before+string(text))
}

// row inserts a row; the columns that only the copy has are left empty.
func (c *copying) row(table string, row pgstore.Row) (err error) {
	s := c.insert[table]
	if s == nil {
		places := strings.Repeat(", ?", len(row))[2:]
		if table == "chain_head" {
			places += ", 0"
		}
		if s, err = c.db.Query(c.ctx, "INSERT INTO "+table+" VALUES ("+places+")"); err != nil {
			return err
		}
		c.insert[table] = s
	}
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			s.BindNull(i + 1)
		case int64:
			s.BindInt(i+1, v)
		case string:
			s.BindText(i+1, v)
		case []byte:
			s.BindBlob(i+1, v)
		default:
			return fmt.Errorf("column %d has the type %T", i+1, v)
		}
	}
	return s.Run()
}
