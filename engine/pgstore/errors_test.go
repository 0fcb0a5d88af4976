package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"idem/engine"
)

// TestErrorsByCode: what the store makes of each answer, by its SQLSTATE alone.
func TestErrorsByCode(t *testing.T) {
	none := errors.New("none")
	for code, want := range map[string]struct {
		class   error
		again   bool
		refused bool // as the answer to COMMIT
	}{
		"40001": {engine.ErrBusy, true, true}, "40P01": {engine.ErrBusy, true, true},
		"55P03": {engine.ErrBusy, false, true}, "57014": {engine.ErrBusy, false, false},
		"57P01": {engine.ErrUnavailable, true, false}, "57P02": {engine.ErrUnavailable, true, false}, "57P03": {engine.ErrUnavailable, true, false},
		"08006": {engine.ErrUnavailable, true, false}, "08007": {engine.ErrUnavailable, true, false}, "40003": {engine.ErrUnavailable, true, false},
		"53100": {engine.ErrUnavailable, false, true}, "53300": {engine.ErrUnavailable, false, true}, "55006": {engine.ErrUnavailable, false, true},
		"25006": {engine.ErrUnavailable, false, true}, "25P03": {engine.ErrUnavailable, true, true}, "58030": {engine.ErrUnavailable, false, true},
		"XX001": {engine.ErrUnavailable, false, true}, "28P01": {engine.ErrUnavailable, false, true}, "3D000": {engine.ErrUnavailable, false, true},
		"54000": {ErrTooLong, false, true}, "23505": {none, false, true}, "23514": {none, false, true}, "42P01": {none, false, true}, "22021": {none, false, true},
	} {
		err := fmt.Errorf("effect: %w", &pgconn.PgError{Code: code, Severity: "FEHLER", SeverityUnlocalized: "ERROR", Message: "connection refused, database is locked"})
		got := none
		for _, class := range []error{engine.ErrBusy, engine.ErrUnavailable, engine.ErrUnknownCommit, ErrTooLong} {
			if errors.Is(classed(err), class) {
				got = class
			}
		}
		if got != want.class || again(err) != want.again || refusedCommit(err) != want.refused {
			t.Errorf("%s: %v, again %v, refused %v; want %+v", code, got, again(err), refusedCommit(err), want)
		}
		if !errors.Is(classed(err), err) {
			t.Errorf("%s: the cause is gone", code)
		}
	}
	fatal := &pgconn.PgError{Code: "40001", SeverityUnlocalized: "FATAL"}
	if refusedCommit(fatal) || refusedCommit(io.ErrUnexpectedEOF) || refusedCommit(context.DeadlineExceeded) || !refusedCommit(pgx.ErrTxCommitRollback) {
		t.Error("a broken connection says something about its commit")
	}
}
