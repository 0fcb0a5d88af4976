package sqlitestore

import (
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
)

var (
	// ErrSchema: the file was written by a newer version of this program, or its
	// account or transfer table is not one this store can work with.
	ErrSchema = errors.New("database schema does not fit")
	// ErrAmbiguousAccount: two accounts have one text as their id.
	ErrAmbiguousAccount = errors.New("two accounts have this id")

	errReadOnly = errors.New("write inside a read-only transaction")
	errClosed   = fmt.Errorf("%w: the store is closed", engine.ErrUnavailable)
)

// primaryCode is SQLite's primary result code, 0 for other errors.
func primaryCode(err error) int {
	var e *sqlfile.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Primary()
}

// classed puts SQLite's failures of the system under the engine's errors, by
// code. The cause stays in the chain.
func classed(err error) error {
	if errors.Is(err, engine.ErrBusy) || errors.Is(err, engine.ErrUnavailable) {
		return err
	}
	switch primaryCode(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: %w", engine.ErrBusy, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_PROTOCOL:
		return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	}
	return err
}
