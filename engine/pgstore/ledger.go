package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

// lockOrder is what the tries of one operation learn about the accounts that it
// needs, sorted. The next try locks them ahead, in this order.
type lockOrder struct{ ids []string }

func (o *lockOrder) learn(id string) {
	if i, known := slices.BinarySearch(o.ids, id); !known {
		o.ids = slices.Insert(o.ids, i, id)
	}
}

// lockAhead locks the accounts that earlier tries needed.
func (t *tx) lockAhead(ctx context.Context) error {
	if len(t.order.ids) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	for _, id := range t.order.ids {
		b.Queue(sqlAccountLock, stored(id))
	}
	sent := t.pg.SendBatch(ctx, b)
	for _, id := range t.order.ids {
		a, err := scanAccount(sent.QueryRow(), id)
		if err != nil {
			return errors.Join(t.fail("lock account", err), sent.Close())
		}
		t.keep(a)
	}
	return t.fail("lock accounts", sent.Close())
}

// keep notes an account that this transaction has locked.
func (t *tx) keep(a *engine.Account) {
	if a == nil {
		return
	}
	if t.accounts == nil {
		t.accounts = make(map[string]*engine.Account, 2)
	}
	t.accounts[a.ID] = a
	t.highest = max(t.highest, a.ID)
}

func (t *tx) Account(ctx context.Context, id string) (*engine.Account, error) {
	a, err := t.account(ctx, id)
	if err != nil || a == nil {
		return nil, t.fail("read account", err)
	}
	out := *a
	return &out, nil
}

// account finds an account and, to write, locks it; nil when there is none. What
// it returns is the kept one and must not be handed out.
func (t *tx) account(ctx context.Context, id string) (*engine.Account, error) {
	if a := t.accounts[id]; a != nil {
		return a, nil
	}
	if t.readOnly {
		return scanAccount(t.pg.QueryRow(ctx, sqlAccount, stored(id)), id)
	}
	text := sqlAccountLock
	if id < t.highest {
		text = sqlAccountTryLock
	}
	a, err := scanAccount(t.pg.QueryRow(ctx, text, stored(id)), id)
	if id < t.highest && code(err) == codeLockTimeout {
		t.learn(id)
		return nil, fmt.Errorf("%w: %w", errConflict, err)
	}
	if err != nil {
		return nil, err
	}
	t.keep(a)
	return a, nil
}

// learn is called when an account could not be had out of order.
func (t *tx) learn(id string) {
	t.order.learn(id)
	for held := range t.accounts {
		t.order.learn(held)
	}
}

func scanAccount(row pgx.Row, id string) (*engine.Account, error) {
	a := &engine.Account{ID: id}
	var holder string
	err := row.Scan(&a.Integer, &holder, &a.Balance)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a.Holder, err = restored(holder)
	return a, err
}

func (t *tx) OpenAccount(ctx context.Context, a engine.Account) error {
	if t.readOnly {
		return errReadOnly
	}
	return t.fail(fmt.Sprintf("open account %q", a.ID), t.openAccount(ctx, a))
}

func (t *tx) openAccount(ctx context.Context, a engine.Account) error {
	existing, err := t.account(ctx, a.ID)
	switch {
	case err != nil:
		return err
	case existing != nil && *existing == a:
		return nil
	case existing != nil:
		return errors.New("it exists with other figures")
	}
	if _, err := a.Number(); err != nil {
		return err
	}
	tag, err := t.pg.Exec(ctx, sqlAccountInsert, stored(a.ID), a.Integer, stored(a.Holder), a.Balance)
	if err == nil && tag.RowsAffected() == 0 {
		err = errConflict
	}
	if err != nil {
		return err
	}
	_, err = t.pg.Exec(ctx, sqlAccountOpened, stored(a.ID), a.Balance)
	return err
}

func (t *tx) Post(ctx context.Context, tr engine.Transfer) error {
	if t.readOnly {
		return errReadOnly
	}
	return t.fail("post transfer", t.post(ctx, tr))
}

func (t *tx) post(ctx context.Context, tr engine.Transfer) error {
	src, err := t.account(ctx, tr.Src)
	if err != nil {
		return err
	}
	dst, err := t.account(ctx, tr.Dst)
	if err != nil {
		return err
	}
	if refused := engine.CheckFunds(src, dst, tr.Amount); refused != nil {
		return fmt.Errorf("the ledger refuses it: %s", refused.Reason)
	}
	less, err := engine.Add(src.Balance, -tr.Amount)
	if err != nil {
		return err
	}
	more, err := engine.Add(dst.Balance, tr.Amount)
	if err != nil {
		return err
	}
	if err := t.writeTransfer(ctx, tr, less, more); err != nil {
		return err
	}
	src.Balance, dst.Balance = less, more
	return nil
}

// writeTransfer sends the transfer, its tie and both balances in one message.
// A statement that wrote no row fails the transaction, so it does not matter
// that the ones behind it were run.
func (t *tx) writeTransfer(ctx context.Context, tr engine.Transfer, less, more int64) error {
	b := &pgx.Batch{}
	b.Queue(sqlTransferInsert, stored(tr.ID), stored(tr.Src), stored(tr.Dst), tr.Amount, stored(tr.Currency), engine.FormatInstant(tr.CreatedAt))
	wrong := []string{fmt.Sprintf("transfer %q exists", tr.ID)}
	if t.claim != nil {
		b.Queue(sqlTransferClaimInsert, int64(t.claim.Life), int64(t.claim.Fence), stored(tr.ID))
		wrong = append(wrong, "this life of the key made a transfer already")
	} else {
		b.Queue(sqlTransferOutside, stored(tr.ID))
		wrong = append(wrong, "the transfer was noted already")
	}
	b.Queue(sqlBalanceUpdate, stored(tr.Src), less)
	b.Queue(sqlBalanceUpdate, stored(tr.Dst), more)
	wrong = append(wrong, "the source account is gone", "the target account is gone")
	sent := t.pg.SendBatch(ctx, b)
	var err error
	for _, what := range wrong {
		tag, failed := sent.Exec()
		if failed == nil && tag.RowsAffected() != 1 {
			failed = errors.New(what)
		}
		if err == nil {
			err = failed
		}
	}
	return errors.Join(err, sent.Close())
}
