package sqlitestore

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"

	"idem/engine"
)

// schemaVersion is the version of sql/schema.sql.
const schemaVersion = 3

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
	version, indexed, err := inspectSchema(c)
	if err != nil || version == schemaVersion && (indexed || !purged) {
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

// inspectSchema reports which version's tables the file has, 0 for none, and
// whether it has the index that a purge uses.
func inspectSchema(c *conn) (version int64, indexed bool, err error) {
	made := false
	err = c.query(sqlSchemaObjects, nil, func(row []driver.Value) error {
		made = made || row[0] == "table"
		indexed = indexed || row[0] == "index"
		return nil
	})
	if err == nil && made {
		version, err = knownVersion(c)
	}
	return version, indexed, err
}

func createSchema(c *conn, purged bool) error {
	if err := upgrade(c); err != nil {
		return fmt.Errorf("upgrade tables: %w", err)
	}
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
	if err := checkForeign(c); err != nil {
		return err
	}
	if _, err := knownVersion(c); err != nil {
		return err
	}
	return beginChain(c)
}

// checkForeign refuses tables that were there before and cannot be written, before
// a claim is committed whose payment could not be.
func checkForeign(c *conn) error {
	row, err := c.row(sqlForeignCheck)
	if err != nil || row == nil {
		return err
	}
	return fmt.Errorf("%w: %v", ErrSchema, row[0])
}

func knownVersion(c *conn) (int64, error) {
	row, err := c.row(sqlSchemaVersion)
	if err != nil {
		return 0, err
	}
	if row == nil {
		return 0, fmt.Errorf("%w: idem_schema is empty", engine.ErrDamaged)
	}
	version, ok := row[0].(int64)
	if !ok || version < 1 || version > schemaVersion {
		return 0, fmt.Errorf("%w: it has version %v and this program knows up to version %d; use the idem that made it, or a newer one", ErrSchema, row[0], schemaVersion)
	}
	return version, nil
}

// upgrade brings the tables of older versions to this one: version 2 chains the
// transfers, version 3 keeps checksums of the records. Another process may have
// done it since the file was inspected.
func upgrade(c *conn) error {
	version, _, err := inspectSchema(c)
	for ; err == nil && version > 0 && version < schemaVersion; version++ {
		err = c.script(sqlSchemaUpgrade[version+1])
	}
	return err
}
