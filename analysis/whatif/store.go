package whatif

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"idem/engine"
)

// store keeps what decisions need and nothing else: no bodies, no transfers.
// A day has several of them in memory at once. It belongs to one goroutine.
type store struct {
	records  map[engine.ScopedKey]kept
	accounts map[string]*engine.Account
	last     engine.Fence
	// sender is the tag of the row that claims next; holder is that of the row
	// whose claim decided the last one.
	sender, holder tag
}

// kept is a record in a third of its size.
type kept struct {
	print           engine.Fingerprint
	completed       bool
	attempt, status int32
	life, fence     engine.Fence
	claimed, lease  int64 // Unix nanoseconds
	reason          string
	holder          tag
}

var _ engine.Store = (*store)(nil)

// mostRoom bounds the records that room is made for ahead.
const mostRoom = 1 << 20

func newStore(requests int64) *store {
	return &store{records: make(map[engine.ScopedKey]kept, min(requests, mostRoom)), accounts: map[string]*engine.Account{}}
}

func (k *kept) record(key engine.ScopedKey) *engine.Record {
	r := &engine.Record{Key: key, State: engine.InProgress, Fingerprint: k.print,
		Life: k.life, Fence: k.fence, Attempt: int(k.attempt),
		ClaimedAt: time.Unix(0, k.claimed).UTC(), LeaseUntil: time.Unix(0, k.lease).UTC()}
	if k.completed {
		r.State = engine.Completed
		r.Reply = engine.Reply{Status: int(k.status), Reason: k.reason}
	}
	return r
}

// Claim is [engine.Store.Claim].
func (s *store) Claim(_ context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	var existing *engine.Record
	k, found := s.records[c.Key]
	if found {
		existing = k.record(c.Key)
	}
	v, err := engine.Decide(existing, c, s.last+1, p)
	if err != nil || v.Outcome != engine.Fresh {
		s.holder = k.holder
		return v, err
	}
	s.last++
	s.holder = s.sender
	s.records[c.Key] = kept{print: v.Record.Fingerprint, attempt: int32(min(v.Record.Attempt, math.MaxInt32)),
		life: v.Record.Life, fence: v.Record.Fence,
		claimed: v.Record.ClaimedAt.UnixNano(), lease: v.Record.LeaseUntil.UnixNano(), holder: s.sender}
	return v, nil
}

// Complete is [engine.Store.Complete]. What an effect that fails has posted is
// not taken back: the course ends with such an error, and its store with it.
func (s *store) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	k, found := s.records[c.Key]
	if !found {
		return engine.Record{}, engine.Lost, nil
	}
	existing := k.record(c.Key)
	if !engine.Holds(existing, c, p) {
		return engine.Record{}, engine.Lost, nil
	}
	reply, err := effect(ctx, ledger{s})
	if err != nil {
		return engine.Record{}, 0, fmt.Errorf("effect: %w", err)
	}
	next, settled := engine.Settle(*existing, c, reply, p)
	if settled == engine.Released {
		delete(s.records, c.Key)
		return next, settled, nil
	}
	k.completed, k.status, k.reason = true, int32(reply.Status), reply.Reason
	s.records[c.Key] = k
	return next, settled, nil
}

// Purge deletes nothing: what has expired counts as absent.
func (s *store) Purge(context.Context, time.Time, time.Time, int) (int, error) { return 0, nil }

// View is [engine.Store.View].
func (s *store) View(_ context.Context, fn func(engine.Tx) error) error { return fn(ledger{s}) }

// Update is [engine.Store.Update]; an error does not roll back.
func (s *store) Update(_ context.Context, fn func(engine.Tx) error) error { return fn(ledger{s}) }

// Close does nothing.
func (s *store) Close() error { return nil }

// errNotKept: this store has no transfers and no documents to read.
var errNotKept = errors.New("the what-if store does not keep this")

// ledger is the store inside a transaction: balances alone.
type ledger struct{ s *store }

func (l ledger) Record(_ context.Context, key engine.ScopedKey) (*engine.Record, error) {
	if k, found := l.s.records[key]; found {
		return k.record(key), nil
	}
	return nil, nil
}

func (l ledger) Account(_ context.Context, id string) (*engine.Account, error) {
	return l.s.accounts[id], nil
}

func (l ledger) OpenAccount(_ context.Context, a engine.Account) error {
	l.s.accounts[a.ID] = &a
	return nil
}

func (l ledger) Post(_ context.Context, t engine.Transfer) error {
	src, dst := l.s.accounts[t.Src], l.s.accounts[t.Dst]
	if refused := engine.CheckFunds(src, dst, t.Amount); refused != nil {
		return fmt.Errorf("the ledger refuses it: %s", refused.Reason)
	}
	src.Balance -= t.Amount
	dst.Balance += t.Amount
	return nil
}

func (l ledger) Transfer(context.Context, string) (*engine.Transfer, error) { return nil, errNotKept }

func (l ledger) Document(context.Context, string, string) ([]byte, error) { return nil, errNotKept }

func (l ledger) PutDocument(context.Context, string, string, []byte) error { return errNotKept }
