package whatif

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"time"

	"idem/engine"
)

// store keeps what decisions need and nothing else: no bodies, no transfers.
// A day has several of them in memory at once. It belongs to one goroutine.
type store struct {
	seeds    [2]maphash.Seed
	records  map[[2]uint64]kept // by two hashes of the key, which never both collide
	reasons  []string           // of stored refusals; there are few
	accounts map[string]*engine.Account
	last     engine.Fence
	// sender is the tag of the row that claims next; holder is that of the row
	// whose claim decided the last one.
	sender, holder tag
}

// kept is a record in a quarter of its size. Tokens count the claims of a day,
// which fit 32 bits.
type kept struct {
	claimed, lease  int64 // Unix nanoseconds
	life, fence     uint32
	key, identity   uint32 // of the holder's tag
	attempt, status uint16
	reason          uint8 // index
	completed       bool
	print           engine.Fingerprint
}

var _ engine.Store = (*store)(nil)

// mostRoom bounds the records that room is made for ahead.
const mostRoom = 1 << 20

func newStore(requests int64) *store {
	return &store{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		records: make(map[[2]uint64]kept, min(requests/2, mostRoom)), reasons: []string{""}, accounts: map[string]*engine.Account{}}
}

func (s *store) hash(key engine.ScopedKey) [2]uint64 {
	return [2]uint64{maphash.Comparable(s.seeds[0], key), maphash.Comparable(s.seeds[1], key)}
}

// find gives the record of a key; nil when there is none.
func (s *store) find(key engine.ScopedKey) (hash [2]uint64, k kept, r *engine.Record) {
	hash = s.hash(key)
	k, found := s.records[hash]
	if !found {
		return hash, k, nil
	}
	r = &engine.Record{Key: key, State: engine.InProgress, Fingerprint: k.print,
		Life: engine.Fence(k.life), Fence: engine.Fence(k.fence), Attempt: int(k.attempt),
		ClaimedAt: time.Unix(0, k.claimed).UTC(), LeaseUntil: time.Unix(0, k.lease).UTC()}
	if k.completed {
		r.State = engine.Completed
		r.Reply = engine.Reply{Status: int(k.status), Reason: s.reasons[k.reason]}
	}
	return hash, k, r
}

// Claim is [engine.Store.Claim].
func (s *store) Claim(_ context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	hash, k, existing := s.find(c.Key)
	v, err := engine.Decide(existing, c, s.last+1, p)
	if err != nil || v.Outcome != engine.Fresh {
		s.holder = tag{key: k.key, identity: k.identity}
		return v, err
	}
	s.last++
	s.holder = s.sender
	s.records[hash] = kept{claimed: v.Record.ClaimedAt.UnixNano(), lease: v.Record.LeaseUntil.UnixNano(),
		life: uint32(v.Record.Life), fence: uint32(v.Record.Fence), key: s.sender.key, identity: s.sender.identity,
		attempt: uint16(min(v.Record.Attempt, math.MaxUint16)), print: v.Record.Fingerprint}
	return v, nil
}

// Complete is [engine.Store.Complete]. What an effect that fails has posted is
// not taken back: the course ends with such an error, and its store with it.
func (s *store) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	hash, k, existing := s.find(c.Key)
	if !engine.Holds(existing, c, p) {
		return engine.Record{}, engine.Lost, nil
	}
	reply, err := effect(ctx, ledger{s})
	if err != nil {
		return engine.Record{}, 0, fmt.Errorf("effect: %w", err)
	}
	next, settled := engine.Settle(*existing, c, reply, p)
	if settled == engine.Released {
		delete(s.records, hash)
		return next, settled, nil
	}
	k.completed, k.status = true, uint16(min(reply.Status, math.MaxUint16)) // a log may say anything
	if k.reason, err = s.reason(reply.Reason); err != nil {
		return engine.Record{}, 0, err
	}
	s.records[hash] = k
	return next, settled, nil
}

// reason is the number of a refusal's reason.
func (s *store) reason(text string) (uint8, error) {
	i := slices.Index(s.reasons, text)
	if i < 0 {
		i = len(s.reasons)
		s.reasons = append(s.reasons, text)
	}
	if i > math.MaxUint8 {
		return 0, fmt.Errorf("more than %d reasons of refusals", math.MaxUint8)
	}
	return uint8(i), nil
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
	_, _, r := l.s.find(key)
	return r, nil
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
