package cli

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"
)

// runSQL runs SQL on a database and, with a third argument, compares the rows,
// columns joined by | and rows by a space: sql FILE QUERY [WANT]
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	if len(args) < 3 {
		_, err := db.Exec(args[1])
		ts.Check(err)
		return
	}
	rows, err := db.Query(args[1])
	ts.Check(err)
	defer rows.Close()
	columns, err := rows.Columns()
	ts.Check(err)
	var lines []string
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		ts.Check(rows.Scan(into...))
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = fmt.Sprint(v)
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	ts.Check(rows.Err())
	if got := strings.Join(lines, " "); got != args[2] {
		ts.Fatalf("%s\ngives %q\nwant  %q", args[1], got, args[2])
	}
}
