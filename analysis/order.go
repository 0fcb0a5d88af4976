package analysis

import (
	"context"
	"strings"

	"idem/engine/sqlitestore/sqlfile"
)

// everyRow is the SQL condition of a column that holds nothing but integers.
const everyRow = "TRUE"

// seqOrder is how the rows of a table are had in the order of their seq.
type seqOrder struct {
	// usable is an SQL condition: the row's seq is an integer, or its text.
	usable string
	// value is an SQL expression: the seq of a usable row.
	value string
	// by is an ORDER BY list over usable rows.
	by string
	// indexed says that SQLite finds a seq without reading the table, and reads
	// the table in seq order without sorting it.
	indexed bool
	// unique says that no two usable rows have one seq.
	unique bool
}

// order finds out how t is best read in the order of its column seq.
func (t *table) order(ctx context.Context, db *sqlfile.DB, seq int) error {
	c := t.columns[seq]
	if rowid, err := t.isRowid(ctx, db, c); err != nil || rowid {
		t.seq = seqOrder{usable: everyRow, value: c, by: c, indexed: true, unique: true}
		return err
	}
	numeric, err := numericAffinity(ctx, db, t.name, c)
	if err != nil {
		return err
	}
	if !numeric {
		// 7 and '07' are two texts but one seq, so a key over them proves nothing.
		value := "CAST(" + c + " AS INTEGER)"
		t.seq = seqOrder{usable: strings.ReplaceAll(integerText, "$", c), value: value, by: value + ", " + t.place}
		return nil
	}
	// Such a column has turned every text of an integer into one.
	t.seq = seqOrder{usable: "typeof(" + c + ") = 'integer'", value: c, by: c + ", " + t.place}
	if t.seq.unique, err = primaryKey(ctx, db, t.bare, c); err != nil {
		return err
	}
	t.seq.indexed, err = sortsItself(ctx, db, "SELECT "+c+" FROM "+t.name+" ORDER BY "+t.seq.by)
	return err
}

// seqless is the condition and the order of the rows whose seq is none: they
// stand as they lie.
func (t *table) seqless() string {
	return "NOT (" + t.seq.usable + ") ORDER BY " + t.place
}

// integerText is parseInt in SQL: $ is an integer, or a text of digits that
// are the same again when made an integer and a text once more.
const integerText = `(typeof($) = 'integer' OR typeof($) = 'text'
  AND length(CAST($ AS BLOB)) = length($)
  AND $ NOT GLOB '*[^0-9-]*' AND $ NOT GLOB '?*-*' AND ltrim($, '-') <> ''
  AND CAST(CAST($ AS INTEGER) AS TEXT) =
      iif(ltrim($, '-0') = '', '0', iif($ GLOB '-*', '-', '') || ltrim($, '-0')))`

// sortsItself reports whether SQLite reads the rows of a query in its order
// without sorting them, by a primary key or an index.
func sortsItself(ctx context.Context, db *sqlfile.DB, query string) (bool, error) {
	s, err := db.Query(ctx, "EXPLAIN QUERY PLAN "+query)
	if err != nil {
		return false, err
	}
	sorted := true
	for s.Next() {
		if strings.Contains(s.String(3), "TEMP B-TREE") {
			sorted = false
		}
	}
	return sorted, s.Close()
}

// isRowid reports whether a column is the row id under another name, which is
// an integer in every row. The program SQLite makes for it says so.
func (t *table) isRowid(ctx context.Context, db *sqlfile.DB, column string) (bool, error) {
	if t.rowid == "" {
		return false, nil
	}
	s, err := db.Query(ctx, "EXPLAIN SELECT "+column+" FROM "+t.name)
	if err != nil {
		return false, err
	}
	found := false
	for s.Next() {
		opcode := s.String(1)
		found = found || opcode == "Rowid" || opcode == "IdxRowid"
	}
	return found, s.Close()
}

// primaryKey reports whether a column alone is the primary key of its table.
func primaryKey(ctx context.Context, db *sqlfile.DB, table, column string) (bool, error) {
	keys, err := names(ctx, db, "SELECT name FROM pragma_table_xinfo("+literal(table)+") WHERE pk > 0")
	return err == nil && len(keys) == 1 && quote(keys[0]) == column, err
}

// numericAffinity reports whether a column turns texts of integers into
// integers, by the rules of https://www.sqlite.org/datatype3.html#determination_of_column_affinity.
func numericAffinity(ctx context.Context, db *sqlfile.DB, table, column string) (bool, error) {
	s, err := db.Query(ctx, "SELECT "+column+" FROM "+table+" LIMIT 0")
	if err != nil {
		return false, err
	}
	declared := strings.ToUpper(s.Declared(0))
	for _, rule := range []struct {
		part    string
		numeric bool
	}{{"INT", true}, {"CHAR", false}, {"CLOB", false}, {"TEXT", false}, {"BLOB", false}, {"REAL", false}, {"FLOA", false}, {"DOUB", false}} {
		if strings.Contains(declared, rule.part) {
			return rule.numeric, s.Close()
		}
	}
	return declared != "" && declared != "ANY", s.Close()
}
