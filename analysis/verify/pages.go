package verify

import (
	"context"
	"errors"
	"fmt"

	"idem/engine/sqlitestore/sqlfile"
)

// scanned are the tables that are read from end to end, each with the column
// that names its rows. Damage then has a place, which integrity_check does not
// give it.
var scanned = []struct{ table, id string }{
	{"account", "acct_id"}, {"transfer", "transfer_id"}, {"transfer_claim", "transfer_id"}, {"idempotency_key", "idem_key"},
}

// pages: SQLite's own check of the file, and a read of every row.
func (a *audit) pages(ctx context.Context, c *Check) error {
	if a.copied {
		c.Note = "the pages are the database server's to check; every row was read"
	}
	err := a.query(ctx, "PRAGMA integrity_check(20)", func(s *sqlfile.Stmt) {
		if text := s.String(0); text != "ok" {
			c.fail("", "integrity_check: %s", text)
		}
	})
	if err := damage(err, c, "", "the check ended early"); err != nil {
		return err
	}
	for _, t := range scanned {
		last, n := "its beginning", int64(0)
		// NOT INDEXED: the rows themselves and not an index that has them all. The
		// sum of lengths makes SQLite read each row to its end.
		err := a.query(ctx, fmt.Sprintf("SELECT %s, * FROM %s NOT INDEXED", t.id, t.table), func(s *sqlfile.Stmt) {
			n++
			last = fmt.Sprintf("row %d, %q", n, s.String(0))
		})
		c.Rows += n
		if err := damage(err, c, t.table+" after "+last, "its rows cannot be read from here"); err != nil {
			return err
		}
	}
	return nil
}

// damage turns SQLite's failure into a violation; other errors stay.
func damage(err error, c *Check, row, what string) error {
	var e *sqlfile.Error
	if errors.As(err, &e) {
		c.fail(row, "%s: %s", what, e.Message)
		return nil
	}
	return err
}
