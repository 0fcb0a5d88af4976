package pgstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

const (
	// versionTable is where goose notes the versions of the tables.
	versionTable = "idem_migration"
	// migrationWait bounds the waiting for another server's migrations.
	migrationWait = time.Minute
)

// migrate brings the tables to this version. Tables that have it are not
// touched, so that a server starts where it may not create any.
func migrate(ctx context.Context, config *pgx.ConnConfig) (err error) {
	config = config.Copy()
	// The session that holds the lock does nothing meanwhile.
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = milliseconds(migrationWait)
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.PingContext(ctx); err != nil {
		return ended(ctx, classed(err))
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := migrateAgain(ctx, db, provider); err != nil {
		return fmt.Errorf("migrate: %w", ended(ctx, classed(err)))
	}
	return nil
}

// migrateAgain tries again where another server was in the way. Of two servers
// that create one table at once, IF NOT EXISTS lets one fail on the catalogue's
// own unique index; the next time it finds the table.
func migrateAgain(ctx context.Context, db *sql.DB, provider *goose.Provider) error {
	const tries, pause = 20, 50 * time.Millisecond
	for try := 1; ; try++ {
		err := migrateOnce(ctx, db, provider)
		if err == nil || try == tries || !inTheWay(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func inTheWay(err error) bool {
	switch code(err) {
	case codeUnique, codeDuplicateTable, codeDuplicateObject, codeSerialization, codeDeadlock:
		return true
	}
	return false
}

func migrateOnce(ctx context.Context, db *sql.DB, provider *goose.Provider) error {
	sources := provider.ListSources()
	known := sources[len(sources)-1].Version
	have, err := readVersion(ctx, db)
	switch {
	case err != nil:
		return fmt.Errorf("read version: %w", err)
	case have > known:
		return newerSchema(have, known)
	case have == known:
		return nil
	}
	return locked(ctx, db, func() error {
		_, err := provider.Up(ctx)
		return err
	})
}

func newerSchema(have, known int64) error {
	return fmt.Errorf("%w: it has version %d and this program knows up to %d; use a newer idem", ErrSchema, have, known)
}

// latestVersion is that of the newest migration, by the number in its name.
func latestVersion() (version int64, err error) {
	files, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		return 0, err
	}
	return goose.NumericComponent(files[len(files)-1].Name())
}

// readVersion is the version of the database's tables, 0 for none.
func readVersion(ctx context.Context, db *sql.DB) (version int64, err error) {
	err = db.QueryRowContext(ctx, sqlMigrationVersion).Scan(&version)
	if code(err) == codeNoTable {
		return 0, nil
	}
	return version, err
}

// locked lets one server migrate at a time, by the lock on a row: there are no
// advisory locks everywhere, and a lock with a lease would stand for its lease
// after a crash. This one ends with its connection.
func locked(ctx context.Context, db *sql.DB, fn func() error) error {
	for _, text := range []string{sqlMigrationLockTable, sqlMigrationLockRow} {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("create lock table: %w", err)
		}
	}
	holder, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("lock migrations: %w", err)
	}
	var one int
	if err = holder.QueryRowContext(ctx, sqlMigrationLock).Scan(&one); err != nil {
		err = fmt.Errorf("lock migrations: %w", err)
	} else {
		err = fn()
	}
	return errors.Join(err, holder.Rollback())
}
