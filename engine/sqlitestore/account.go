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
	dirty  bool
}

// accounts is where a session finds accounts. Without a bound it reads and
// writes through. With one it keeps accounts, and writes balances only when
// asked: a thousand accounts that a million transfers move are written once a
// transaction. Nobody else may write the file meanwhile.
type accounts struct {
	c     *conn
	bound int
	kept  map[string]*account
	// touched lists the balances before the running operation, to put back.
	touched []touch
	// opened lists the accounts that the running operation opened.
	opened []string
}

type touch struct {
	a       *account
	balance int64
	dirty   bool
}

// find reads an account by the text of its id; nil when there is none. What it
// returns is the kept one and must not be handed out.
func (as *accounts) find(id string) (*account, error) {
	if a, ok := as.kept[id]; ok {
		return a, nil
	}
	a, err := as.read(id)
	if err != nil || a == nil || as.bound == 0 {
		return a, err
	}
	as.kept[id] = a
	return a, nil
}

func (as *accounts) read(id string) (*account, error) {
	var found []*account
	err := as.c.query(sqlAccount, []any{id}, func(row []driver.Value) error {
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
	return 0, fmt.Errorf("%w: %v is no integer of minor units", ErrDamaged, v)
}

// setBalance changes an account that find returned.
func (as *accounts) setBalance(a *account, balance int64) error {
	if as.bound == 0 {
		return as.write(a, balance)
	}
	as.touched = append(as.touched, touch{a, a.Balance, a.dirty})
	a.Balance, a.dirty = balance, true
	return nil
}

func (as *accounts) write(a *account, balance int64) error {
	n, err := as.c.exec(sqlBalanceUpdate, balance, a.stored)
	if err == nil && n != 1 {
		err = fmt.Errorf("%w: balance of account %q changed %d rows", ErrDamaged, a.ID, n)
	}
	return err
}

// undo puts back what the running operation changed; done lets it stand.
func (as *accounts) undo() {
	for i := len(as.touched) - 1; i >= 0; i-- {
		t := as.touched[i]
		t.a.Balance, t.a.dirty = t.balance, t.dirty
	}
	for _, id := range as.opened {
		delete(as.kept, id)
	}
	as.done()
}

func (as *accounts) done() { as.touched, as.opened = as.touched[:0], as.opened[:0] }

// open inserts an account that find did not find.
func (as *accounts) open(a engine.Account) error {
	stored := any(a.ID)
	if a.Integer {
		n, err := strconv.ParseInt(a.ID, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != a.ID {
			return fmt.Errorf("id %q is not the text of an integer", a.ID)
		}
		stored = n
	}
	if as.bound > 0 {
		as.opened = append(as.opened, a.ID)
	}
	if _, err := as.c.exec(sqlAccountInsert, stored, a.Holder, a.Balance); err != nil {
		return err
	}
	_, err := as.c.exec(sqlAccountOpened, stored, a.Balance)
	return err
}

// flush writes the balances that were kept back. Inside an operation the writes
// are part of it: when it is undone, they are to be written again.
func (as *accounts) flush() error {
	for _, a := range as.kept {
		if !a.dirty {
			continue
		}
		if err := as.write(a, a.Balance); err != nil {
			return fmt.Errorf("write balance: %w", err)
		}
		as.touched = append(as.touched, touch{a, a.Balance, true})
		a.dirty = false
	}
	return nil
}

// trim keeps memory within the bound. Only between operations: what an
// operation touched must stay until it is done.
func (as *accounts) trim() error {
	if len(as.kept) <= as.bound {
		return nil
	}
	err := as.flush()
	as.done()
	clear(as.kept)
	return err
}
