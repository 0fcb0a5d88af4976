package sqlitestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"
)

// schemaVersion is the version of sql/schema.sql.
const schemaVersion = 1

// creating: closing a file drops the locks that SQLite holds on it in this
// process, so nothing here may open a file that a store has open. A file is
// created under this lock, and every store waits for it before it opens one.
var creating sync.Mutex

// createFile makes path an empty file for its owner alone, unless it exists.
// SQLite gives the -wal and -shm beside it the same mode.
func createFile(path string, noCreate bool) error {
	creating.Lock()
	defer creating.Unlock()
	if noCreate {
		_, err := os.Stat(path)
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// ensureSchema creates what is missing, all of it or nothing, and refuses files
// that this version cannot work with. extra is run in the same transaction.
func ensureSchema(c *conn, extra ...string) error {
	version, err := readVersion(c)
	if err != nil || version == schemaVersion {
		return err
	}
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := createSchema(c, extra); err != nil {
		_, back := c.exec("ROLLBACK")
		return errors.Join(err, back)
	}
	_, err = c.exec("COMMIT")
	return err
}

func createSchema(c *conn, extra []string) error {
	for _, text := range append([]string{sqlSchema}, extra...) {
		if err := c.script(text); err != nil {
			return fmt.Errorf("create tables: %w", err)
		}
	}
	for _, check := range []string{sqlLedgerCheck, sqlTransferCheck} {
		if _, err := c.row(check); primaryCode(err) == sqlite3.SQLITE_ERROR {
			return fmt.Errorf("%w: %w", ErrSchema, err)
		} else if err != nil {
			return err
		}
	}
	_, err := readVersion(c)
	return err
}

// readVersion is the version of the file's tables, 0 for none.
func readVersion(c *conn) (int64, error) {
	exists, err := c.row(sqlSchemaExists)
	if err != nil || exists == nil {
		return 0, err
	}
	row, err := c.row(sqlSchemaVersion)
	if err != nil || row == nil {
		return 0, err
	}
	version, ok := row[0].(int64)
	if !ok || version < 1 || version > schemaVersion {
		return 0, fmt.Errorf("%w: it has version %v and this program knows up to %d; use a newer idem", ErrSchema, row[0], schemaVersion)
	}
	return version, nil
}
