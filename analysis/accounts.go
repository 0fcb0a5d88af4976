package analysis

import "context"

// AccountsOf reads the account table of the database at path without touching
// it (see [OpenFile]), whatever else it holds or lacks: the balances that a ledger
// begins with, sorted by id. Rows that cannot be used come apart, with the reason.
// Errors are ErrUnreadable.
func AccountsOf(ctx context.Context, path string, opts ...Option) (accounts []Account, unusable []BadRow, err error) {
	in := &Incident{File: File{path: path}}
	defer in.Close()
	if err := in.File.open(ctx, opts); err != nil {
		return nil, nil, err
	}
	if err := in.resolveAccounts(ctx); err != nil {
		return nil, nil, err
	}
	err = in.eachAccount(ctx, func(a Account, bad *BadRow) {
		if bad != nil {
			unusable = append(unusable, *bad)
		} else {
			accounts = append(accounts, a)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return accounts, unusable, nil
}

func (in *Incident) resolveAccounts(ctx context.Context) error {
	db, err := in.connect()
	if err != nil {
		return err
	}
	defer db.Close()
	found, err := names(ctx, db, sqlTables)
	if err != nil {
		return readError(in.path, err)
	}
	t, err := resolveTable(ctx, db, in.path, Schema()[accountTable], found)
	in.tables = []table{t}
	return err
}
