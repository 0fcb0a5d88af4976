package verify

import (
	"context"
	"fmt"

	"idem/engine/sqlitestore/sqlfile"
)

// balances: what an account was opened with, plus its transfers, is what it has,
// and no debit took it below zero.
func (a *audit) balances(ctx context.Context, c *Check) error {
	if !a.tables["account_opened"] {
		c.Note = "what the accounts began with is not known: an older version opened them"
		return a.rows(ctx, "balances_unopened", func(s *sqlfile.Stmt) { c.balance(s) })
	}
	unknown := 0
	err := a.rows(ctx, "balances", func(s *sqlfile.Stmt) {
		balance, ok := c.balance(s)
		switch {
		case !ok:
		case null(s, 2):
			unknown++
		default:
			if balance < 0 && s.Int(2) >= 0 {
				c.fail(accountRow(s), "it began with %d and is below zero: %d", s.Int(2), balance)
			}
			// The halves compose with a wrap around to the true value, which fits.
			if due := s.Int(2) + s.Int(3)<<32 + s.Int(4); due != balance {
				c.fail(accountRow(s), "it began with %d and its transfers make that %d, and it holds %d", s.Int(2), due, balance)
			}
		}
	})
	if err != nil {
		return err
	}
	if unknown > 0 {
		c.Note = fmt.Sprintf("what %d accounts began with is not known: they are a ledger's of someone else", unknown)
	}
	return a.rows(ctx, "accounts_gone", func(s *sqlfile.Stmt) { c.fail(accountRow(s), "it was opened and is gone") })
}

func accountRow(s *sqlfile.Stmt) string { return fmt.Sprintf("account %q", s.String(0)) }

// balance reads a balance. One below zero may have come so.
func (c *Check) balance(s *sqlfile.Stmt) (balance int64, ok bool) {
	c.Rows++
	balance, ok = integer(s, 1)
	if !ok {
		c.fail(accountRow(s), "its balance is no integer of minor units: %q", s.String(1))
	}
	return balance, ok
}

// money: no transfer takes from one account without giving to another. With
// that, each currency's sum over all accounts is what it was.
func (a *audit) money(ctx context.Context, c *Check) error {
	err := a.rows(ctx, "nowhere", func(s *sqlfile.Stmt) {
		c.fail(transferRow(s.String(0)), "%s", s.String(1))
	})
	if err != nil {
		return err
	}
	return a.query(ctx, "SELECT count(*) FROM transfer", func(s *sqlfile.Stmt) { c.Rows = s.Int(0) })
}
