package analysis

import (
	"context"
	"strings"

	"idem/analysis/sqlfile"
)

// seqOrder is how the rows of a table are had in the order of their seq.
type seqOrder struct {
	// usable is an SQL condition: the row's seq is an integer, or its text.
	usable string
	// by is an ORDER BY list over usable rows.
	by string
	// value is an SQL expression: the seq of a usable row.
	value string
	// indexed says that one seq is found without reading the table.
	indexed bool
	// unique says that no two usable rows have one seq.
	unique bool
}

// order finds out how t is best read in the order of its column seq.
func (t *table) order(ctx context.Context, db *sqlfile.DB, seq int) error {
	c := t.columns[seq]
	sorted, err := sortsItself(ctx, db, "SELECT "+c+" FROM "+t.name+" ORDER BY "+c)
	if err != nil {
		return err
	}
	numeric, err := numericAffinity(ctx, db, t.name, c)
	if err != nil {
		return err
	}
	tie := t.tie(seq)
	if numeric {
		// Such a column has turned every text of an integer into one.
		t.seq = seqOrder{usable: "typeof(" + c + ") = 'integer'", value: c, by: c + tie}
		if sorted {
			t.seq.by, t.seq.indexed = c, true
		}
		t.seq.unique, err = primaryKey(ctx, db, t.bare, c)
		return err
	}
	value := "CAST(" + c + " AS INTEGER)"
	t.seq = seqOrder{usable: strings.ReplaceAll(integerText, "$", c), value: value, by: value + tie}
	return nil
}

// tie orders rows of one seq, so that the same file always gives one order.
func (t *table) tie(seq int) string {
	if t.rowid != "" {
		return ", " + t.rowid
	}
	list := ""
	for i, c := range t.columns {
		if i != seq && c != "NULL" {
			list += ", " + c
		}
	}
	return list
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
