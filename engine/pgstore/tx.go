package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"idem/engine"
)

// tx is [engine.Tx] over a transaction of the driver. What it reads to write is
// locked.
type tx struct {
	pg pgx.Tx
	// claim is the record that is being completed; nil outside of a completion.
	claim    *engine.Record
	readOnly bool

	order    *lockOrder
	accounts map[string]*engine.Account // locked by this transaction
	highest  string                     // the last of their ids
	missing  map[document]bool          // read, and not there
	// failed is the first failure: the database has ended the transaction, or a
	// write was done by half.
	failed error
}

type document struct{ kind, id string }

// PgxTx gives the driver's transaction behind a transaction of this package's
// stores, so that an effect's own tables are committed with its result; ok is
// false for those of others. It is valid as long as the transaction it came
// from, and only the store ends it. A statement that fails dooms the
// transaction; return its error, as it may be one after which the store runs the
// effect again.
func PgxTx(t engine.Tx) (own pgx.Tx, ok bool) {
	of, ok := t.(*tx)
	if !ok {
		return nil, false
	}
	return guest{of.pg}, true
}

// guest is a transaction that is not the holder's to end.
type guest struct{ pgx.Tx }

var errGuest = errors.New("the store ends its transaction; return an error to roll back")

func (guest) Commit(context.Context) error   { return errGuest }
func (guest) Rollback(context.Context) error { return errGuest }

// fail names what failed and remembers it; nil stays nil.
func (t *tx) fail(what string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", what, err)
	if !again(err) {
		err = classed(err)
	}
	if t.failed == nil && !t.readOnly {
		t.failed = err
	}
	return err
}

// outcome is the error of what was run inside, or the failure that it did not
// tell of: where it does not look at errors, or gives them another name.
func (t *tx) outcome(err error) error {
	if t.failed == nil || errors.Is(err, t.failed) {
		return err
	}
	return errors.Join(err, t.failed)
}

func (t *tx) Record(ctx context.Context, key engine.ScopedKey) (*engine.Record, error) {
	r, err := scanRecord(t.pg.QueryRow(ctx, sqlRecord, keyColumns(key)...), key)
	return r, t.fail("read record", err)
}

func (t *tx) newest(ctx context.Context) (*engine.Record, error) {
	var kept [3]string
	var claimed int64
	err := t.pg.QueryRow(ctx, sqlNewest).Scan(&kept[0], &kept[1], &kept[2], &claimed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &engine.Record{ClaimedAt: engine.InstantOf(claimed)}
	for i, column := range []*string{&r.Key.ClientID, &r.Key.Endpoint, &r.Key.Key} {
		if *column, err = restored(kept[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (t *tx) Transfer(ctx context.Context, id string) (*engine.Transfer, error) {
	tr, err := scanTransfer(t.pg.QueryRow(ctx, sqlTransfer, stored(id)), id)
	return tr, t.fail("read transfer", err)
}

func scanTransfer(row pgx.Row, id string) (*engine.Transfer, error) {
	var src, dst, currency, created string
	tr := &engine.Transfer{ID: id}
	err := row.Scan(&src, &dst, &tr.Amount, &currency, &created)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for into, text := range map[*string]string{&tr.Src: src, &tr.Dst: dst, &tr.Currency: currency} {
		if *into, err = restored(text); err != nil {
			return nil, err
		}
	}
	if tr.CreatedAt, err = time.Parse(time.RFC3339Nano, created); err != nil {
		return nil, fmt.Errorf("%w: created_at of transfer %q", engine.ErrDamaged, id)
	}
	return tr, nil
}

func (t *tx) Document(ctx context.Context, kind, id string) (doc []byte, err error) {
	text := sqlDocumentLock
	if t.readOnly {
		text = sqlDocument
	}
	err = t.pg.QueryRow(ctx, text, stored(kind), stored(id)).Scan(&doc)
	if errors.Is(err, pgx.ErrNoRows) {
		if t.missing == nil {
			t.missing = map[document]bool{}
		}
		t.missing[document{kind, id}] = true
		return nil, nil
	}
	return doc, t.fail("read document", err)
}

func (t *tx) PutDocument(ctx context.Context, kind, id string, doc []byte) error {
	if t.readOnly {
		return errReadOnly
	}
	if doc == nil {
		doc = []byte{}
	}
	text := sqlDocumentPut
	if t.missing[document{kind, id}] {
		text = sqlDocumentInsert
	}
	tag, err := t.pg.Exec(ctx, text, stored(kind), stored(id), doc)
	if err == nil && tag.RowsAffected() == 0 {
		err = errConflict
	}
	delete(t.missing, document{kind, id})
	return t.fail("put document", err)
}
