package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"idem/engine"
	"idem/engine/fault"
)

// tx is [engine.Tx] over a session. Contexts are not looked at: a statement here
// takes microseconds, and an operation that has begun runs to its end.
type tx struct {
	s *session
	// claim is the record that is being completed; nil outside of a completion.
	claim    *engine.Record
	readOnly bool
	// failed is the first write that failed. It dooms the transaction, so that
	// an effect that does not look at errors commits nothing.
	failed error
}

// wrote names a write that failed and remembers it.
func (t *tx) wrote(what string, err error) error {
	if err = wrapped(what, err); err != nil && t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *tx) Record(_ context.Context, key engine.ScopedKey) (*engine.Record, error) {
	r, err := t.s.record(key)
	return r, wrapped("read record", err)
}

func (t *tx) Account(_ context.Context, id string) (*engine.Account, error) {
	a, err := t.s.accounts.find(id)
	if err != nil || a == nil {
		return nil, wrapped("read account", err)
	}
	out := a.Account
	return &out, nil
}

func (t *tx) OpenAccount(_ context.Context, a engine.Account) error {
	if t.readOnly {
		return errReadOnly
	}
	return t.wrote("open account", t.openAccount(a))
}

func (t *tx) openAccount(a engine.Account) error {
	existing, err := t.s.accounts.find(a.ID)
	switch {
	case err != nil:
		return err
	case existing != nil && existing.Account == a:
		return nil
	case existing != nil:
		return fmt.Errorf("account %q exists with other figures", a.ID)
	}
	return t.s.accounts.open(a)
}

func (t *tx) Post(_ context.Context, tr engine.Transfer) error {
	if t.readOnly {
		return errReadOnly
	}
	return t.wrote("post transfer", t.post(tr))
}

func (t *tx) post(tr engine.Transfer) error {
	src, err := t.s.accounts.find(tr.Src)
	if err != nil {
		return err
	}
	dst, err := t.s.accounts.find(tr.Dst)
	if err != nil {
		return err
	}
	if err := fundsFor(src, dst, tr.Amount); err != nil {
		return err
	}
	at := engine.FormatInstant(tr.CreatedAt)
	if _, err = t.s.c.exec(sqlTransferInsert, tr.ID, src.stored, dst.stored, tr.Amount, tr.Currency, at); err != nil {
		return fmt.Errorf("write transfer: %w", err)
	}
	if err := fault.Point(fault.InEffect); err != nil {
		return err
	}
	if err := t.tie(tr, at); err != nil {
		return fmt.Errorf("tie transfer to its claim: %w", err)
	}
	return t.move(src, dst, tr.Amount)
}

func fundsFor(src, dst *account, amount int64) error {
	var from, to *engine.Account
	if src != nil {
		from = &src.Account
	}
	if dst != nil {
		to = &dst.Account
	}
	if refused := engine.CheckFunds(from, to, amount); refused != nil {
		return fmt.Errorf("the ledger refuses it: %s", refused.Reason)
	}
	return nil
}

func (t *tx) move(src, dst *account, amount int64) error {
	less, err := engine.Add(src.Balance, -amount)
	if err != nil {
		return err
	}
	more, err := engine.Add(dst.Balance, amount)
	if err != nil {
		return err
	}
	if err := t.s.accounts.setBalance(src, less); err != nil {
		return err
	}
	return t.s.accounts.setBalance(dst, more)
}

func (t *tx) Transfer(_ context.Context, id string) (*engine.Transfer, error) {
	row, err := t.s.c.row(sqlTransfer, id)
	if err != nil || row == nil {
		return nil, wrapped("read transfer", err)
	}
	c := columns{row: row}
	tr := &engine.Transfer{ID: id, Src: c.text(), Dst: c.text(), Amount: c.integer(), Currency: c.text()}
	if tr.CreatedAt, err = time.Parse(time.RFC3339Nano, c.text()); err != nil {
		c.fail("created_at")
	}
	if c.bad != "" {
		return nil, fmt.Errorf("read transfer: %w: %s of transfer %q", ErrDamaged, c.bad, id)
	}
	return tr, nil
}

func (t *tx) Document(_ context.Context, kind, id string) ([]byte, error) {
	row, err := t.s.c.row(sqlDocument, kind, id)
	if err != nil || row == nil {
		return nil, wrapped("read document", err)
	}
	c := columns{row: row}
	doc := c.blob()
	if c.bad != "" {
		return nil, fmt.Errorf("read document: %w: %s", ErrDamaged, c.bad)
	}
	return doc, nil
}

func (t *tx) PutDocument(_ context.Context, kind, id string, doc []byte) error {
	if t.readOnly {
		return errReadOnly
	}
	if doc == nil {
		doc = []byte{}
	}
	_, err := t.s.c.exec(sqlDocumentPut, kind, id, doc)
	return t.wrote("put document", err)
}

// wrapped names what failed; nil stays nil.
func wrapped(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, classed(err))
}
