package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"idem/engine"
)

var (
	// ErrTooLong: a key or id that an index of the database cannot hold, about
	// 2.7 kB after compression.
	ErrTooLong = errors.New("text is too long for a key")
	// ErrSchema: the database was migrated by a newer version of this program.
	ErrSchema = errors.New("database schema does not fit")
	// ErrSettings: the connection string cannot be read, or asks for what would
	// lose acknowledged completions.
	ErrSettings = errors.New("database settings do not fit")

	errReadOnly = errors.New("write inside a read-only transaction")
	errClosed   = fmt.Errorf("%w: the store is closed", engine.ErrUnavailable)
	// errConflict: another transaction was quicker; nothing was written, and
	// the same again may succeed.
	errConflict = errors.New("another transaction was quicker")
)

// SQLSTATE codes, from Postgres's appendix A.
const (
	codeSerialization   = "40001"
	codeUnknownOutcome  = "40003" // CockroachDB: statement completion unknown
	codeDeadlock        = "40P01"
	codeLockTimeout     = "55P03"
	codeCanceled        = "57014" // statement_timeout among others
	codeReadOnly        = "25006"
	codeIdleTransaction = "25P03"
	codeInUse           = "55006"
	codeLimit           = "54000"
	codeNoDatabase      = "3D000"
	codeNoTable         = "42P01"
	codeUnique          = "23505"
	codeDuplicateTable  = "42P07"
	codeDuplicateObject = "42710"
)

// code is the SQLSTATE of a database's answer; "" for other errors.
func code(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

// lost reports whether the connection broke, so that it is not known whether
// the server got the statement. Shutdowns (57P01 to 57P05) come over a
// connection that is then closed.
func lost(err error) bool {
	var refused *pgconn.ConnectError
	if errors.As(err, &refused) {
		return false
	}
	if c := code(err); c != "" {
		return strings.HasPrefix(c, "08") || strings.HasPrefix(c, "57P") || c == codeIdleTransaction || c == codeUnknownOutcome
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) || pgconn.SafeToRetry(err)
}

// again reports whether the same transaction may succeed when it is run again.
// It must not be asked about a commit (see [Store.commit]).
func again(err error) bool {
	c := code(err)
	return c == codeSerialization || c == codeDeadlock || errors.Is(err, errConflict) || lost(err)
}

// classed puts failures of the system under the engine's errors, by code. The
// cause stays in the chain.
func classed(err error) error {
	if err == nil || errors.Is(err, engine.ErrBusy) || errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknownCommit) {
		return err
	}
	c := code(err)
	switch c {
	case codeLockTimeout, codeCanceled, codeSerialization, codeDeadlock:
		return fmt.Errorf("%w: %w", engine.ErrBusy, err)
	case codeLimit:
		return fmt.Errorf("%w: %w", ErrTooLong, err)
	case codeReadOnly, codeIdleTransaction, codeInUse, codeNoDatabase, codeUnknownOutcome:
		return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	}
	var refused *pgconn.ConnectError
	switch {
	case errors.Is(err, errConflict):
		return fmt.Errorf("%w: %w", engine.ErrBusy, err)
	case failing(c), lost(err), errors.As(err, &refused):
		return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	}
	return err
}

// failing reports whether a code is of a class that says that the server cannot
// work: connections, authorization, resources, shutdowns, system errors, damage.
func failing(code string) bool {
	for _, class := range []string{"08", "28", "53", "57P", "58", "XX"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

// ended is the context's error when that is why err came about.
func ended(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
