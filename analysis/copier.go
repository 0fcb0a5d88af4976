package analysis

import (
	"context"
	"slices"
	"strings"

	"idem/engine/sqlitestore/sqlfile"
)

// copier writes rows of a table as they stand, under the same row ids.
type copier struct {
	insert *sqlfile.Stmt
	skip   int      // columns before those that are copied
	rowid  int      // parameter of the row id, 0 for none
	names  []string // of the parameters after it
}

// copier makes the table in the copy. Columns have no type there, so that every
// cell stays what it is; but a seq that is the row id, or is turned into an
// integer, must be so in the copy, or reading in its order would be slow. seq is
// -1 where a table has none.
func (e *excerpt) copier(ctx context.Context, number, seq int) (*copier, error) {
	t := &e.in.tables[number]
	all, err := e.in.allColumns(ctx, t)
	if err != nil {
		return nil, err
	}
	made := slices.Clone(all)
	alias := seq >= 0 && t.seq.usable == everyRow
	for i := range made {
		switch {
		case seq < 0 || made[i] != t.columns[seq]:
		case alias:
			made[i] += " INTEGER PRIMARY KEY"
		case t.seq.value == made[i]:
			made[i] += " INTEGER"
		}
	}
	if err := e.db.Exec(ctx, "CREATE TABLE "+t.name+" ("+strings.Join(made, ", ")+")"); err != nil {
		return nil, err
	}
	c := &copier{skip: len(t.columns) + 1, names: all}
	into := slices.Clone(all)
	if t.rowid != "" && !alias {
		c.rowid, into = 1, append([]string{t.rowid}, into...)
	}
	c.insert, err = e.db.Query(ctx, "INSERT INTO "+t.name+" ("+strings.Join(into, ", ")+") VALUES (?"+strings.Repeat(", ?", len(into)-1)+")")
	return c, err
}

// column is the parameter of a column.
func (c *copier) column(quoted string) int { return slices.Index(c.names, quoted) + 1 + c.rowid }

// bind takes over the row that s stands on.
func (c *copier) bind(s *sqlfile.Stmt) {
	if c.rowid > 0 {
		bindCell(c.insert, 1, s, c.skip-1)
	}
	for i := range c.names {
		bindCell(c.insert, i+1+c.rowid, s, c.skip+i)
	}
}

func bindCell(to *sqlfile.Stmt, parameter int, s *sqlfile.Stmt, i int) {
	switch s.Type(i) {
	case sqlfile.Integer:
		to.BindInt(parameter, s.Int(i))
	case sqlfile.Real:
		to.BindFloat(parameter, s.Float(i))
	case sqlfile.Text:
		to.BindText(parameter, s.String(i))
	case sqlfile.Blob:
		to.BindBlob(parameter, s.Bytes(i))
	default:
		to.BindNull(parameter)
	}
}
