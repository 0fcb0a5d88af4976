package storetest

import (
	"context"
	"errors"
	"maps"
	"math"
	"time"

	"idem/engine"
)

// Model is the reference: the rules of the engine said once more, in the words
// of their documentation, with none of the engine's decisions called. It is
// slow, for one goroutine, and keeps everything in maps that it copies to undo.
// It looks at no context and is never closed.
type Model struct{ s state }

var _ engine.Store = (*Model)(nil)

type state struct {
	last      engine.Fence
	records   map[engine.ScopedKey]engine.Record
	accounts  map[string]engine.Account
	transfers map[string]engine.Transfer
	paid      map[engine.Fence]bool // lives that made their transfer
	documents map[[2]string][]byte
}

// NewModel returns an empty model.
func NewModel() *Model {
	m := &Model{s: state{records: map[engine.ScopedKey]engine.Record{}, accounts: map[string]engine.Account{}}}
	m.s.transfers, m.s.paid, m.s.documents = map[string]engine.Transfer{}, map[engine.Fence]bool{}, map[[2]string][]byte{}
	return m
}

func (s state) copy() state {
	s.records, s.accounts, s.transfers = maps.Clone(s.records), maps.Clone(s.accounts), maps.Clone(s.transfers)
	s.paid, s.documents = maps.Clone(s.paid), maps.Clone(s.documents)
	return s
}

// gone: a record whose retention has ended counts as absent.
func gone(r engine.Record, p engine.Policy, now time.Time) bool {
	return p.Retention != engine.Forever && now.Sub(r.ClaimedAt) >= p.Retention
}

func lapsed(r engine.Record, now time.Time) bool {
	return r.State == engine.InProgress && now.Sub(r.LeaseUntil) >= 0
}

// Claim is [engine.Store.Claim].
func (m *Model) Claim(_ context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	r, found := m.s.records[c.Key]
	v := engine.Verdict{Record: r}
	if found {
		before := r
		v.Before = &before
	}
	if v.Expired = found && gone(r, p, c.Now); !found || v.Expired {
		v.Outcome, v.Record = engine.Fresh, m.begin(c)
		return v, nil
	}
	same, err := m.same(r.Fingerprint, c)
	if err != nil {
		return engine.Verdict{}, err
	}
	v.Different = !same
	if v.Outcome = m.held(r, c, p, same); v.Outcome == engine.Fresh {
		m.s.last++
		v.Record.Fence, v.Record.Attempt, v.Record.LeaseUntil = m.s.last, r.Attempt+1, c.Now.Add(c.Lease)
		m.s.records[c.Key] = v.Record
	}
	return v, nil
}

func (m *Model) begin(c engine.Claim) engine.Record {
	m.s.last++
	r := engine.Record{
		Key: c.Key, State: engine.InProgress, Fingerprint: c.Fingerprint, Life: m.s.last, Fence: m.s.last,
		Attempt: 1, ClaimedAt: c.Now, LeaseUntil: c.Now.Add(c.Lease),
	}
	m.s.records[c.Key] = r
	return r
}

// same compares under the rule that the stored fingerprint was made by. A body
// that this rule cannot read is another one.
func (m *Model) same(stored engine.Fingerprint, c engine.Claim) (bool, error) {
	if stored[0] == c.Fingerprint[0] || c.Under == nil {
		return stored == c.Fingerprint, nil
	}
	again, err := c.Under(engine.FingerprintRule(stored[0]))
	if errors.Is(err, engine.ErrAmbiguous) {
		return false, nil
	}
	return stored == again, err
}

// held is the outcome where a record stands; Fresh means a takeover.
func (m *Model) held(r engine.Record, c engine.Claim, p engine.Policy, same bool) engine.Outcome {
	if !same && p.OnMismatch != engine.MismatchReplays {
		return engine.Mismatch
	}
	if r.State == engine.Completed {
		return engine.Replay
	}
	if same && lapsed(r, c.Now) {
		return engine.Fresh
	}
	return engine.InFlight
}

// Complete is [engine.Store.Complete].
func (m *Model) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	r, found := m.s.records[c.Key]
	mine := found && r.State == engine.InProgress && r.Fence == c.Fence
	if !mine || lapsed(r, c.Now) && gone(r, p, c.Now) {
		return engine.Record{}, engine.Lost, nil
	}
	var reply engine.Reply
	err := m.undoing(func(t *modelTx) (err error) {
		t.life = r.Life
		reply, err = effect(ctx, t)
		return err
	})
	if err != nil {
		return engine.Record{}, 0, err
	}
	ok := reply.Status >= 200 && reply.Status < 300
	if p.Stored == engine.StoreSuccess && !ok || p.Stored == engine.StoreNot5xx && reply.Status >= 500 {
		delete(m.s.records, c.Key)
		return engine.Record{}, engine.Released, nil
	}
	r.State, r.CompletedAt, r.Reply = engine.Completed, c.Now, reply
	m.s.records[c.Key] = r
	return r, engine.Kept, nil
}

// Purge is [engine.Store.Purge].
func (m *Model) Purge(_ context.Context, cutoff, now time.Time, limit int) (n int, err error) {
	for k, r := range m.s.records {
		if n < limit && r.ClaimedAt.Before(cutoff) && (r.State == engine.Completed || lapsed(r, now)) {
			delete(m.s.records, k)
			n++
		}
	}
	return n, nil
}

// View is [engine.Store.View].
func (m *Model) View(_ context.Context, fn func(engine.Tx) error) error {
	return fn(&modelTx{s: &m.s, readOnly: true})
}

// Update is [engine.Store.Update].
func (m *Model) Update(_ context.Context, fn func(engine.Tx) error) error {
	return m.undoing(func(t *modelTx) error { return fn(t) })
}

// undoing runs fn on a copy, which becomes the state when nothing failed.
func (m *Model) undoing(fn func(*modelTx) error) error {
	next := m.s.copy()
	t := &modelTx{s: &next}
	if err := errors.Join(fn(t), t.failed); err != nil {
		return err
	}
	m.s = next
	return nil
}

// Close is [engine.Store.Close].
func (m *Model) Close() error { return nil }

type modelTx struct {
	s        *state
	life     engine.Fence // 0 outside of a completion
	readOnly bool
	failed   error // a write that failed dooms the transaction
}

func (t *modelTx) refuse() error {
	t.failed = errors.New("the model refuses")
	return t.failed
}

func found[K comparable, V any](m map[K]V, k K) *V {
	if v, ok := m[k]; ok {
		return &v
	}
	return nil
}

func (t *modelTx) Record(_ context.Context, k engine.ScopedKey) (*engine.Record, error) {
	return found(t.s.records, k), nil
}

func (t *modelTx) Account(_ context.Context, id string) (*engine.Account, error) {
	return found(t.s.accounts, id), nil
}

func (t *modelTx) Transfer(_ context.Context, id string) (*engine.Transfer, error) {
	return found(t.s.transfers, id), nil
}

func (t *modelTx) OpenAccount(_ context.Context, a engine.Account) error {
	existing, exists := t.s.accounts[a.ID]
	if t.readOnly || exists && existing != a {
		return t.refuse()
	}
	t.s.accounts[a.ID] = a
	return nil
}

func (t *modelTx) Post(_ context.Context, tr engine.Transfer) error {
	src, known := t.s.accounts[tr.Src]
	dst, alsoKnown := t.s.accounts[tr.Dst]
	_, used := t.s.transfers[tr.ID]
	if t.readOnly || !known || !alsoKnown || used || tr.Src == tr.Dst || t.life != 0 && t.s.paid[t.life] {
		return t.refuse()
	}
	if tr.Amount <= 0 || src.Balance < tr.Amount || dst.Balance > math.MaxInt64-tr.Amount {
		return t.refuse()
	}
	src.Balance, dst.Balance = src.Balance-tr.Amount, dst.Balance+tr.Amount
	t.s.accounts[src.ID], t.s.accounts[dst.ID], t.s.transfers[tr.ID] = src, dst, tr
	if t.life != 0 {
		t.s.paid[t.life] = true
	}
	return nil
}

func (t *modelTx) Document(_ context.Context, kind, id string) ([]byte, error) {
	return t.s.documents[[2]string{kind, id}], nil
}

func (t *modelTx) PutDocument(_ context.Context, kind, id string, doc []byte) error {
	if t.readOnly {
		return t.refuse()
	}
	t.s.documents[[2]string{kind, id}] = append([]byte{}, doc...)
	return nil
}
