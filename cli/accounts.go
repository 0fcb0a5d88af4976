package cli

import (
	"bytes"
	"context"
	"io"
	"os"

	"idem/analysis"
	"idem/engine"
	"idem/engine/payments/server"
)

// readAccounts reads the accounts that a server opens: those of a database, such
// as the incident that is to be lived again, or of a JSON file.
func readAccounts(ctx context.Context, path string) ([]engine.Account, error) {
	is, err := isDatabase(path)
	switch {
	case err != nil:
		return nil, unreadable("%w", err)
	case !is:
		return parseFile(path, server.ParseAccounts)
	}
	rows, unusable, err := analysis.AccountsOf(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(unusable) > 0 {
		// To serve the others would be to lose somebody's money.
		bad := unusable[0]
		return nil, unreadable("accounts of %q: unusable rows: %d; the first is account %s, whose %s is %s: %s",
			path, len(unusable), bad.Row, bad.Column, bad.Value, bad.Reason)
	}
	accounts := make([]engine.Account, len(rows))
	for i, row := range rows {
		accounts[i] = engine.Account(row)
	}
	return accounts, nil
}

// isDatabase reports whether a file begins as every SQLite database does.
func isDatabase(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, 16)
	if _, err := io.ReadFull(f, head); err != nil {
		return false, nil // too short for one, or not to be read, which the next reader says
	}
	return bytes.Equal(head, []byte("SQLite format 3\x00")), nil
}
