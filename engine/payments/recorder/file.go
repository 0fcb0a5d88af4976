package recorder

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"idem/engine"

	_ "modernc.org/sqlite" // the driver
)

//go:embed sql/schema.sql
var schemaSQL string

//go:embed sql/identity.sql
var identitySQL string

//go:embed sql/last_seq.sql
var lastSeqSQL string

//go:embed sql/account_insert.sql
var accountSQL string

//go:embed sql/request_insert.sql
var requestSQL string

//go:embed sql/transfer_insert.sql
var transferSQL string

// settings: a reader that holds the writer up is waited for. WAL, which lets the
// file be read while it is written, is set when it is known to be a record.
const settings = "&_pragma=busy_timeout(5000)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_txlock=immediate"

type file struct{ db *sql.DB }

// openFile also gives the last position in the log.
func openFile(ctx context.Context, path string, accounts []engine.Account) (f *file, last int64, err error) {
	if err := createFile(path); err != nil {
		return nil, 0, fmt.Errorf("open record: %w", err)
	}
	db, err := sql.Open("sqlite", uri(path)+settings)
	if err != nil {
		return nil, 0, fmt.Errorf("open record %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	f = &file{db: db}
	if last, err = f.prepare(ctx, accounts); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("open record %s: %w", path, err), db.Close())
	}
	return f, last, nil
}

// createFile makes a missing file for its owner alone: SQLite would make it
// readable for everybody, and it holds what clients sent. One that exists is not
// touched: closing it here would drop the locks that SQLite has on it.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// applicationID marks a record in its header ("idrc"): a database of another
// kind may have tables of the same names, an account table above all.
const applicationID = 0x69647263

// errNotARecord: to write into somebody's ledger would be worse than to stop.
var errNotARecord = errors.New("the file is a database, but no record of requests; name another file")

func (f *file) create(ctx context.Context) error {
	var id, tables int
	if err := f.db.QueryRowContext(ctx, identitySQL).Scan(&id, &tables); err != nil {
		return err
	}
	if tables > 0 && id != applicationID {
		return errNotARecord
	}
	_, err := f.db.ExecContext(ctx, schemaSQL)
	return err
}

func (f *file) prepare(ctx context.Context, accounts []engine.Account) (last int64, err error) {
	if err = f.create(ctx); err != nil {
		return 0, err
	}
	for _, a := range accounts {
		if _, err = f.db.ExecContext(ctx, accountSQL, accountID(a), a.Holder, a.Balance); err != nil {
			return 0, err
		}
	}
	err = f.db.QueryRowContext(ctx, lastSeqSQL).Scan(&last)
	return last, err
}

// accountID is an integer where the store keeps one.
func accountID(a engine.Account) any {
	if n, err := strconv.ParseInt(a.ID, 10, 64); a.Integer && err == nil {
		return n
	}
	return a.ID
}

// rowError is a failure of one entry, where the file as such can be written.
type rowError struct{ err error }

func (e *rowError) Error() string { return e.err.Error() }
func (e *rowError) Unwrap() error { return e.err }

// insert writes all entries or none. A rowError means that others may be written.
func (f *file) insert(ctx context.Context, batch []Entry) (err error) {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	for i := range batch {
		if err := insertOne(ctx, tx, &batch[i]); err != nil {
			return errors.Join(fmt.Errorf("write record: request %d: %w", batch[i].Seq, &rowError{err}), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

func insertOne(ctx context.Context, tx *sql.Tx, e *Entry) error {
	req := &e.Request
	key := orNull(req.Key)
	_, err := tx.ExecContext(ctx, requestSQL, e.Seq, engine.FormatInstant(e.ReceivedAt), orNull(req.ClientID),
		req.Endpoint, key, bodyValue(req.Body), e.Duration.Milliseconds(), e.Status, req.Method, e.Attempt, e.Outcome)
	if err != nil || e.Transfer == nil {
		return err
	}
	t := e.Transfer
	_, err = tx.ExecContext(ctx, transferSQL, t.ID, e.Seq, key, t.Src, t.Dst, t.Amount, t.Currency, engine.FormatInstant(t.CreatedAt))
	return err
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// bodyValue is text where the body is text; else its bytes, which are evidence too.
func bodyValue(body []byte) any {
	switch {
	case body == nil:
		return nil
	case utf8.Valid(body):
		return string(body)
	default:
		return body
	}
}

func (f *file) close() error {
	if err := f.db.Close(); err != nil {
		return fmt.Errorf("close record: %w", err)
	}
	return nil
}

// uri names path and nothing else, whatever characters it holds.
func uri(path string) string {
	var b strings.Builder
	b.WriteString("file:")
	if strings.HasPrefix(path, "/") {
		b.WriteString("//")
	}
	for _, c := range []byte(path) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("/._-~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String() + "?mode=rw"
}
