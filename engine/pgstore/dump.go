package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

// Row is a row of a table as [Dump] gives it: texts as they were before they
// were escaped, a header as [engine.HeaderText], integers as int64, a flag as 0
// or 1, bytes, or nil for NULL.
type Row []any

// dumped are the tables of a dump, each with the columns that are texts of
// others, which are escaped.
var dumped = []struct {
	table   string
	columns string
	escaped []int
}{
	{"account", "acct_id, balance", []int{0}},
	{"account_opened", "acct_id, balance", []int{0}},
	{"transfer", "transfer_id, src, dst, amount, currency, created_at", []int{0, 1, 2, 4}},
	{"transfer_outside", "transfer_id", []int{0}},
	{"transfer_claim", "life, fence, transfer_id, place, hash", []int{2}},
	{"idempotency_key", "client_id, endpoint, idem_key, state, fingerprint, life, fence, attempt, claimed_at, lease_until, completed_at, status, reason, header, body, not_kept, checksum", []int{0, 1, 2, 12}},
	{"fence_counter", "one, last", nil},
	{"chain_head", "one, n, hash", nil},
}

// Dump reads what an audit looks at, all of one instant, and changes nothing. A
// text that this store does not write is given as it stands. Errors are
// [ErrSettings], [ErrSchema], where the tables are not this version's, or of the
// connection.
func Dump(ctx context.Context, dsn string, each func(table string, row Row) error) error {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	config.RuntimeParams["application_name"] = "idem verify"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return ended(ctx, classed(err))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	snapshot, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return ended(ctx, classed(err))
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }() // the connection ends, too
	if err := checkVersion(ctx, snapshot); err != nil {
		return ended(ctx, err)
	}
	for _, t := range dumped {
		if err := dumpTable(ctx, snapshot, t.table, t.columns, t.escaped, each); err != nil {
			return fmt.Errorf("read table %s: %w", t.table, ended(ctx, err))
		}
	}
	return nil
}

func checkVersion(ctx context.Context, pg pgx.Tx) error {
	known, err := latestVersion()
	if err != nil {
		return err
	}
	var have int64
	err = pg.QueryRow(ctx, sqlMigrationVersion).Scan(&have)
	switch {
	case code(err) == codeNoTable:
		return fmt.Errorf("%w: it has no tables of idem; name the database of an idem serve", ErrSchema)
	case err != nil:
		return fmt.Errorf("read version: %w", err)
	case have > known:
		return newerSchema(have, known)
	case have < known:
		return fmt.Errorf("%w: it has version %d and this program reads %d; start a server of this version on it once", ErrSchema, have, known)
	}
	return nil
}

func dumpTable(ctx context.Context, pg pgx.Tx, table, columns string, escaped []int, each func(string, Row) error) error {
	rows, err := pg.Query(ctx, "SELECT "+columns+" FROM "+table)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.Values()
		if err != nil {
			return err
		}
		for _, i := range escaped {
			row[i] = plain(row[i])
		}
		for i, column := range rows.FieldDescriptions() {
			if row[i] = number(row[i]); column.Name == "header" {
				row[i] = plainHeader(row[i])
			}
		}
		if err := each(table, row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// number is an integer or a flag as int64; others stay.
func number(v any) any {
	switch v := v.(type) {
	case int32:
		return int64(v)
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	}
	return v
}

// plainHeader is a header as every store writes it. One that is not as this
// store writes it stays, as a plain text does.
func plainHeader(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	fields, err := decodeHeader(text)
	if err != nil {
		return text
	}
	return engine.HeaderText(fields)
}

// plain is an escaped text as it was. One that is not as this store writes it
// stays, so that an edit to it is seen.
func plain(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	if was, err := restored(text); err == nil && stored(was) == text {
		return was
	}
	return text
}
