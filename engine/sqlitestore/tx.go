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
	r, err := t.s.c.record(key)
	return r, wrapped("read record", err)
}

func (t *tx) Account(_ context.Context, id string) (*engine.Account, error) {
	a, err := t.s.c.account(id)
	if err != nil || a == nil {
		return nil, wrapped("read account", err)
	}
	return &a.Account, nil
}

func (t *tx) OpenAccount(_ context.Context, a engine.Account) error {
	if t.readOnly {
		return errReadOnly
	}
	return t.wrote("open account", t.openAccount(a))
}

func (t *tx) openAccount(a engine.Account) error {
	existing, err := t.s.c.account(a.ID)
	if err != nil {
		return err
	}
	if existing != nil {
		return sameAccount(existing, a)
	}
	fresh, err := toOpen(a)
	if err != nil {
		return err
	}
	return t.s.c.open(fresh)
}

// sameAccount: an account may be opened again as it is.
func sameAccount(existing *account, a engine.Account) error {
	if existing.Account != a {
		return fmt.Errorf("account %q exists with other figures", a.ID)
	}
	return nil
}

func (t *tx) Post(_ context.Context, tr engine.Transfer) error {
	if t.readOnly {
		return errReadOnly
	}
	return t.wrote("post transfer", t.post(tr))
}

func (t *tx) post(tr engine.Transfer) error {
	src, err := t.s.c.account(tr.Src)
	if err != nil {
		return err
	}
	dst, err := t.s.c.account(tr.Dst)
	if err != nil {
		return err
	}
	less, more, err := moved(src, dst, tr.Amount)
	if err != nil {
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
	src.Balance, dst.Balance = less, more
	if err := t.s.c.setBalance(src); err != nil {
		return err
	}
	return t.s.c.setBalance(dst)
}

// moved are both balances after a transfer that the ledger allows.
func moved(src, dst *account, amount int64) (less, more int64, err error) {
	var from, to *engine.Account
	if src != nil {
		from = &src.Account
	}
	if dst != nil {
		to = &dst.Account
	}
	if refused := engine.CheckFunds(from, to, amount); refused != nil {
		return 0, 0, fmt.Errorf("the ledger refuses it: %s", refused.Reason)
	}
	if less, err = engine.Add(from.Balance, -amount); err != nil {
		return 0, 0, err
	}
	more, err = engine.Add(to.Balance, amount)
	return less, more, err
}

func (t *tx) Transfer(_ context.Context, id string) (*engine.Transfer, error) {
	tr, err := t.s.c.transfer(id)
	return tr, wrapped("read transfer", err)
}

func (c *conn) transfer(id string) (*engine.Transfer, error) {
	row, err := c.row(sqlTransfer, id)
	if err != nil || row == nil {
		return nil, err
	}
	cols := columns{row: row}
	tr := &engine.Transfer{ID: id, Src: cols.text(), Dst: cols.text(), Amount: cols.integer(), Currency: cols.text()}
	if tr.CreatedAt, err = time.Parse(time.RFC3339Nano, cols.text()); err != nil {
		cols.fail("created_at")
	}
	if cols.bad != "" {
		return nil, fmt.Errorf("%w: %s of transfer %q", engine.ErrDamaged, cols.bad, id)
	}
	return tr, nil
}

func (t *tx) Document(_ context.Context, kind, id string) ([]byte, error) {
	doc, err := t.s.c.document(kind, id)
	return doc, wrapped("read document", err)
}

func (c *conn) document(kind, id string) ([]byte, error) {
	row, err := c.row(sqlDocument, kind, id)
	if err != nil || row == nil {
		return nil, err
	}
	cols := columns{row: row}
	doc := cols.blob()
	return doc, cols.damaged("a document")
}

func (t *tx) PutDocument(_ context.Context, kind, id string, doc []byte) error {
	if t.readOnly {
		return errReadOnly
	}
	if doc == nil {
		doc = []byte{}
	}
	return t.wrote("put document", t.s.c.putDocument(kind, id, doc))
}

func (c *conn) putDocument(kind, id string, doc []byte) error {
	_, err := c.exec(sqlDocumentPut, kind, id, doc)
	return err
}

// wrapped names what failed; nil stays nil.
func wrapped(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, classed(err))
}
