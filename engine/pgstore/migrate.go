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

	"idem/engine"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// versionTable is where the versions of the tables are noted.
const versionTable = "idem_migration"

// migrate brings the tables to this version.
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
		goose.WithTableName(versionTable), goose.WithLocker(&rowLock{}), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", ended(ctx, classed(err)))
	}
	return checkVersion(ctx, provider)
}

// checkVersion refuses tables of a newer version.
func checkVersion(ctx context.Context, provider *goose.Provider) error {
	have, known, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("migrate: read version: %w", ended(ctx, classed(err)))
	}
	if have > known {
		return fmt.Errorf("%w: it has version %d and this program knows up to %d; use a newer idem", ErrSchema, have, known)
	}
	return nil
}

// migrationWait bounds the waiting for another server's migrations.
const migrationWait = time.Minute

// rowLock lets one server migrate at a time, by the lock on a row: there are no
// advisory locks everywhere, and a lock with a lease would stand for its lease
// after a crash. This one ends with its connection. Should it fail to exclude,
// the migrations still may run beside each other.
type rowLock struct{ held *sql.Tx }

// Lock implements goose's lock.Locker.
func (l *rowLock) Lock(ctx context.Context, db *sql.DB) error {
	if err := createLockTable(ctx, db); err != nil {
		return err
	}
	held, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("lock migrations: %w", err)
	}
	var one int
	if err := held.QueryRowContext(ctx, sqlMigrationLock).Scan(&one); err != nil {
		return errors.Join(fmt.Errorf("lock migrations: %w", err), held.Rollback())
	}
	l.held = held
	return nil
}

// Unlock implements goose's lock.Locker.
func (l *rowLock) Unlock(context.Context, *sql.DB) error { return l.held.Rollback() }

// createLockTable tries again: of two servers that create one table at once, IF
// NOT EXISTS lets one fail on the catalogue's own unique index.
func createLockTable(ctx context.Context, db *sql.DB) (err error) {
	const tries, pause = 20, 50 * time.Millisecond
	for range tries {
		if err = createLockTableOnce(ctx, db); err == nil {
			return nil
		}
		if errors.Is(classed(err), engine.ErrUnavailable) {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return fmt.Errorf("create lock table: %w", err)
}

func createLockTableOnce(ctx context.Context, db *sql.DB) error {
	for _, text := range []string{sqlMigrationLockTable, sqlMigrationLockRow} {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
