package verify

import (
	"context"
	"embed"
	"fmt"
	"strconv"
	"strings"

	"idem/engine/sqlitestore/sqlfile"
)

//go:embed sql/*.sql
var queries embed.FS

// rows runs the query of sql/NAME.sql and calls each for its rows.
func (a *audit) rows(ctx context.Context, name string, each func(*sqlfile.Stmt)) error {
	text, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return err
	}
	return a.query(ctx, string(text), each)
}

func (a *audit) query(ctx context.Context, text string, each func(*sqlfile.Stmt)) error {
	s, err := a.db.Query(ctx, text)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	for s.Next() {
		each(s)
	}
	return s.Close()
}

// integer reads a cell that must be an integer. The tables of someone else's
// ledger may keep it as a text or a real number.
func integer(s *sqlfile.Stmt, i int) (n int64, ok bool) {
	switch s.Type(i) {
	case sqlfile.Integer:
		return s.Int(i), true
	case sqlfile.Text:
		n, err := strconv.ParseInt(s.String(i), 10, 64)
		return n, err == nil
	case sqlfile.Real:
		// SQLite writes a real number that is whole as "100.0".
		n, err := strconv.ParseInt(strings.TrimSuffix(s.String(i), ".0"), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// null reports whether a cell holds nothing, as one of a missing row does.
func null(s *sqlfile.Stmt, i int) bool { return s.Type(i) == sqlfile.Null }

func transferRow(id string) string { return fmt.Sprintf("transfer %q", id) }

// blob is the bytes of a cell until the next row; only those of NULL are nil.
func blob(s *sqlfile.Stmt, i int) []byte {
	b := s.Bytes(i)
	if b == nil && !null(s, i) {
		return []byte{}
	}
	return b
}
