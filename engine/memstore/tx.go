package memstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"idem/engine"
)

var errReadOnly = errors.New("write inside a read-only transaction")

// tx is [engine.Tx] with the ledger locked. What it writes it can undo.
type tx struct {
	s    *Store
	life engine.Fence // of the claim being completed; 0 outside of a completion
	// held is the shard that is locked already; all says that all of them are.
	held     *shard
	all      bool
	readOnly bool
	undo     []func()
	// failed is the first write that failed. It dooms the transaction, so that
	// an effect that does not look at errors commits nothing.
	failed error
}

// undoneOnError runs fn and takes back its writes when it fails or panics.
func (t *tx) undoneOnError(fn func() error) (err error) {
	failed := true
	defer func() {
		if !failed {
			return
		}
		for _, back := range slices.Backward(t.undo) {
			back()
		}
	}()
	if err = fn(); err == nil {
		err = t.failed
	}
	failed = err != nil
	return err
}

// doom remembers a failed write and returns its error.
func (t *tx) doom(err error) error {
	if t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *tx) Record(_ context.Context, key engine.ScopedKey) (*engine.Record, error) {
	packed := appendKey(nil, key)
	hash := t.s.hash(packed)
	sh := t.s.shardOf(hash)
	if !t.all && sh != t.held {
		sh.Lock()
		defer sh.Unlock()
	}
	return sh.read(sh.find(hash, packed)), nil
}

func (t *tx) Account(_ context.Context, id string) (*engine.Account, error) {
	a, ok := t.s.accounts[id]
	if !ok {
		return nil, nil
	}
	return &a, nil
}

func (t *tx) OpenAccount(_ context.Context, a engine.Account) error {
	existing, exists := t.s.accounts[a.ID]
	switch {
	case t.readOnly:
		return errReadOnly
	case exists && existing == a:
		return nil
	case exists:
		return t.doom(fmt.Errorf("open account %q: it exists with other figures", a.ID))
	}
	if _, err := a.Number(); err != nil {
		return t.doom(fmt.Errorf("open account: %w", err))
	}
	set(t, t.s.accounts, a.ID, a)
	return nil
}

func (t *tx) Post(_ context.Context, tr engine.Transfer) error {
	if t.readOnly {
		return errReadOnly
	}
	if err := t.post(tr); err != nil {
		return t.doom(fmt.Errorf("post transfer: %w", err))
	}
	return nil
}

func (t *tx) post(tr engine.Transfer) error {
	src, known := t.s.accounts[tr.Src]
	dst, alsoKnown := t.s.accounts[tr.Dst]
	if !known || !alsoKnown {
		return fmt.Errorf("the ledger refuses it: %s", engine.RefusedAccount.Reason)
	}
	if refused := engine.CheckFunds(&src, &dst, tr.Amount); refused != nil {
		return fmt.Errorf("the ledger refuses it: %s", refused.Reason)
	}
	if _, used := t.s.transfers[tr.ID]; used {
		return fmt.Errorf("transfer %q exists", tr.ID)
	}
	if err := t.tie(tr.ID); err != nil {
		return err
	}
	var err error
	if src.Balance, err = engine.Add(src.Balance, -tr.Amount); err != nil {
		return err
	}
	if dst.Balance, err = engine.Add(dst.Balance, tr.Amount); err != nil {
		return err
	}
	tr.CreatedAt = engine.UTC(tr.CreatedAt)
	set(t, t.s.transfers, tr.ID, tr)
	set(t, t.s.accounts, src.ID, src)
	set(t, t.s.accounts, dst.ID, dst)
	return nil
}

// tie binds a transfer to the life of the claim: at most one for each.
func (t *tx) tie(id string) error {
	if t.life == 0 {
		return nil
	}
	if other, tied := t.s.ties[t.life]; tied {
		return fmt.Errorf("this life of the key made transfer %q already", other)
	}
	set(t, t.s.ties, t.life, id)
	return nil
}

func (t *tx) Transfer(_ context.Context, id string) (*engine.Transfer, error) {
	tr, ok := t.s.transfers[id]
	if !ok {
		return nil, nil
	}
	return &tr, nil
}

func (t *tx) Document(_ context.Context, kind, id string) ([]byte, error) {
	return t.s.documents[document{kind, id}], nil
}

func (t *tx) PutDocument(_ context.Context, kind, id string, doc []byte) error {
	if t.readOnly {
		return errReadOnly
	}
	if doc == nil {
		doc = []byte{} // an empty document is there, and nil would say that it is not
	}
	set(t, t.s.documents, document{kind, id}, doc)
	return nil
}

// set writes m[k] and notes how to take it back.
func set[K comparable, V any](t *tx, m map[K]V, k K, v V) {
	was, existed := m[k]
	t.undo = append(t.undo, func() {
		if existed {
			m[k] = was
		} else {
			delete(m, k)
		}
	})
	m[k] = v
}
