package ingest

import (
	"context"

	"idem/analysis"
)

// sqliteMagic is how every SQLite file begins.
const sqliteMagic = "SQLite format 3\x00"

// databaseError says what to do with a file that is a database. One that is an
// incident already, as idem serve --record and this import make them, needs no
// import.
func databaseError(ctx context.Context, path string) error {
	if in, err := analysis.Open(ctx, path); err == nil {
		in.Close()
		return usage("%s is an incident database already, and every command reads it as it is: idem analyze %s. To import a table of it, name the table, as in sqlite:%s#req_log", path, path, path)
	}
	return usage("%s is an SQLite database: name its table, as in sqlite:%s#transfers", path, path)
}
