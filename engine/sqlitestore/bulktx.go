package sqlitestore

import (
	"context"
	"errors"
	"fmt"

	"idem/engine"
	"idem/engine/fault"
)

// bulkTx is [engine.Tx] over a [Bulk] and its stage.
type bulkTx struct {
	b        *Bulk
	claim    *engine.Record // that is being completed; nil outside of a completion
	posted   bool           // the life of the claim has its transfer
	readOnly bool
	failed   error // the first write that failed dooms the transaction
}

func (t *bulkTx) wrote(what string, err error) error {
	if err = wrapped(what, err); err != nil && t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *bulkTx) Record(_ context.Context, key engine.ScopedKey) (*engine.Record, error) {
	r, err := t.b.record(key)
	if err != nil || r == nil {
		return nil, wrapped("read record", err)
	}
	out := *r
	return &out, nil
}

func (t *bulkTx) Account(_ context.Context, id string) (*engine.Account, error) {
	a, err := t.b.accounts.find(id)
	if err != nil || a == nil {
		return nil, wrapped("read account", err)
	}
	out := a.Account
	return &out, nil
}

func (t *bulkTx) OpenAccount(_ context.Context, a engine.Account) error {
	if t.readOnly {
		return errReadOnly
	}
	return t.wrote("open account", t.openAccount(a))
}

func (t *bulkTx) openAccount(a engine.Account) error {
	existing, err := t.b.accounts.find(a.ID)
	if err != nil {
		return err
	}
	if existing != nil {
		return sameAccount(&existing.account, a)
	}
	fresh, err := toOpen(a)
	if err != nil {
		return err
	}
	t.b.stage.opened = append(t.b.stage.opened, fresh)
	t.b.accounts.open(*fresh)
	return nil
}

func (t *bulkTx) Post(_ context.Context, tr engine.Transfer) error {
	if t.readOnly {
		return errReadOnly
	}
	return t.wrote("post transfer", t.post(tr))
}

var (
	errTransferID = errors.New("a transfer has this id")
	errSecond     = errors.New("one life of a key makes one transfer")
)

func (t *bulkTx) post(tr engine.Transfer) error {
	src, err := t.b.accounts.find(tr.Src)
	if err != nil {
		return err
	}
	dst, err := t.b.accounts.find(tr.Dst)
	if err != nil {
		return err
	}
	less, more, err := moved(src.row(), dst.row(), tr.Amount)
	if err != nil {
		return err
	}
	if t.posted {
		return errSecond
	}
	if existing, err := t.b.transfer(tr.ID); err != nil || existing != nil {
		return fmt.Errorf("write transfer %q: %w", tr.ID, errors.Join(err, errTransferID))
	}
	t.posted = t.claim != nil
	tr.CreatedAt = engine.UTC(tr.CreatedAt)
	t.b.post(stagedTransfer{tr, src.stored, dst.stored, t.claim})
	if err := fault.Point(fault.InEffect); err != nil {
		return err
	}
	t.b.accounts.set(src, less)
	t.b.accounts.set(dst, more)
	return nil
}

func (b *Bulk) post(tr stagedTransfer) {
	b.stage.byID[tr.ID] = len(b.stage.transfers)
	b.stage.transfers = append(b.stage.transfers, tr)
	b.seen.add(idHash(tr.ID))
}

func (t *bulkTx) Transfer(_ context.Context, id string) (*engine.Transfer, error) {
	tr, err := t.b.transfer(id)
	return tr, wrapped("read transfer", err)
}

func (t *bulkTx) Document(_ context.Context, kind, id string) ([]byte, error) {
	doc, err := t.b.document(document{kind, id})
	return doc, wrapped("read document", err)
}

func (t *bulkTx) PutDocument(_ context.Context, kind, id string, doc []byte) error {
	if t.readOnly {
		return errReadOnly
	}
	if doc == nil {
		doc = []byte{}
	}
	t.b.stage.putDocument(document{kind, id}, doc)
	return nil
}

// record finds the record of a key, staged or written; nil when there is none.
// Nobody may change what it points to.
func (b *Bulk) record(key engine.ScopedKey) (*engine.Record, error) {
	for _, st := range b.stages() {
		if r, staged := st.records[key]; staged {
			return r, nil
		}
	}
	if !b.seen.has(keyHash(key)) {
		return nil, nil
	}
	b.file.Lock()
	defer b.file.Unlock()
	return b.s.c.record(key)
}

// transfer finds a transfer, staged or written; nil when there is none.
func (b *Bulk) transfer(id string) (*engine.Transfer, error) {
	for _, st := range b.stages() {
		if i, staged := st.byID[id]; staged {
			out := st.transfers[i].Transfer
			return &out, nil
		}
	}
	if !b.seen.has(idHash(id)) {
		return nil, nil
	}
	b.file.Lock()
	defer b.file.Unlock()
	return b.s.c.transfer(id)
}

func (b *Bulk) document(key document) ([]byte, error) {
	for _, st := range b.stages() {
		if doc, staged := st.documents[key]; staged {
			return doc, nil
		}
	}
	b.file.Lock()
	defer b.file.Unlock()
	return b.s.c.document(key.kind, key.id)
}

func (b *Bulk) readAccount(id string) (*account, error) {
	b.file.Lock()
	defer b.file.Unlock()
	return b.s.c.account(id)
}

// stages are those that the file does not have, newest first.
func (b *Bulk) stages() []*stage {
	if b.writing == nil {
		return []*stage{b.stage}
	}
	return []*stage{b.stage, b.writing}
}
