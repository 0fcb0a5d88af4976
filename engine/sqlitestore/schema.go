package sqlitestore

import (
	"database/sql/driver"
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
// that this version cannot work with. purged says whether purges will come.
func ensureSchema(c *conn, purged bool) error {
	made, indexed, err := inspectSchema(c)
	if err != nil || made && (indexed || !purged) {
		return err
	}
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := createSchema(c, purged); err != nil {
		_, back := c.exec("ROLLBACK")
		return errors.Join(err, back)
	}
	_, err = c.exec("COMMIT")
	return err
}

// inspectSchema reports whether the file has this version's tables, and the
// index that a purge uses.
func inspectSchema(c *conn) (made, indexed bool, err error) {
	err = c.query(sqlSchemaObjects, nil, func(row []driver.Value) error {
		made = made || row[0] == "table"
		indexed = indexed || row[0] == "index"
		return nil
	})
	if err == nil && made {
		err = checkVersion(c)
	}
	return made, indexed, err
}

func createSchema(c *conn, purged bool) error {
	texts := []string{sqlSchema}
	if purged {
		texts = append(texts, sqlSchemaPurge)
	}
	for _, text := range texts {
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
	return checkVersion(c)
}

func checkVersion(c *conn) error {
	row, err := c.row(sqlSchemaVersion)
	switch {
	case err != nil:
		return err
	case row == nil:
		return fmt.Errorf("%w: idem_schema is empty", ErrDamaged)
	case row[0] != int64(schemaVersion):
		return fmt.Errorf("%w: it has version %v and this program knows version %d; use the idem that made it, or a newer one", ErrSchema, row[0], schemaVersion)
	}
	return nil
}
