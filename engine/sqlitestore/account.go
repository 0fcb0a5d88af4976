package sqlitestore

import (
	"database/sql/driver"
	"fmt"
	"strconv"

	"idem/engine"
)

// account is an account and the value its id is stored as: a foreign ledger may
// keep 7, '7' or both kinds, and a transfer row takes over the one it finds.
type account struct {
	engine.Account
	stored driver.Value
}

// account reads an account by the text of its id; nil when there is none.
func (c *conn) account(id string) (*account, error) {
	var found []*account
	err := c.query(sqlAccount, []any{id}, func(row []driver.Value) error {
		balance, err := wholeNumber(row[2])
		if err != nil {
			return fmt.Errorf("balance of account %q: %w", id, err)
		}
		_, integer := row[0].(int64)
		holder := ""
		if row[1] != nil {
			holder = fmt.Sprint(row[1])
		}
		a := engine.Account{ID: id, Integer: integer, Holder: holder, Balance: balance}
		found = append(found, &account{Account: a, stored: row[0]})
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) > 1:
		return nil, fmt.Errorf("%w: %q", ErrAmbiguousAccount, id)
	case len(found) == 0:
		return nil, nil
	}
	return found[0], nil
}

// wholeNumber accepts what a foreign ledger may keep an integer as.
func wholeNumber(v driver.Value) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case float64:
		if n := int64(v); float64(n) == v && n < 1<<53 && n > -1<<53 {
			return n, nil
		}
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: %v is no integer of minor units", engine.ErrDamaged, v)
}

// setBalance writes the balance of an account that was read.
func (c *conn) setBalance(a *account) error {
	n, err := c.exec(sqlBalanceUpdate, a.Balance, a.stored)
	if err == nil && n != 1 {
		err = fmt.Errorf("%w: balance of account %q changed %d rows", engine.ErrDamaged, a.ID, n)
	}
	return err
}

// toOpen is an account as it will be stored. Its id must be the text of an
// integer when it is one.
func toOpen(a engine.Account) (*account, error) {
	n, err := a.Number()
	switch {
	case err != nil:
		return nil, err
	case a.Integer:
		return &account{Account: a, stored: n}, nil
	}
	return &account{Account: a, stored: a.ID}, nil
}

// open inserts an account that is not there.
func (c *conn) open(a *account) error {
	if _, err := c.exec(sqlAccountInsert, a.stored, a.Holder, a.Balance); err != nil {
		return err
	}
	_, err := c.exec(sqlAccountOpened, a.stored, a.Balance)
	return err
}
