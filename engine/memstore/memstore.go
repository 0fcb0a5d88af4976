// Package memstore keeps the engine's records and the ledger in memory: for
// tests, for the workbench and for servers that may forget. Everything is lost
// with the process.
package memstore

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"idem/engine"
)

// shards is how many locks the records are spread over, so that claims of
// different keys seldom wait for each other.
const shards = 64

// Store is a store in memory. The zero value is not valid; see [New].
//
// Locks are taken in one order: the ledger, then shards by their number.
type Store struct {
	ledger sync.Mutex
	// All of these are guarded by ledger.
	accounts  map[string]engine.Account
	transfers map[string]engine.Transfer
	ties      map[engine.Fence]string // life to transfer id
	documents map[document][]byte

	seed   maphash.Seed
	shard  [shards]shard
	fence  atomic.Int64 // the last token given out
	closed atomic.Bool
}

type document struct{ kind, id string }

// shard holds some of the keys.
type shard struct {
	sync.Mutex
	table
	_ [16]byte // a cache line of its own
}

var _ engine.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	s := &Store{
		accounts:  make(map[string]engine.Account),
		transfers: make(map[string]engine.Transfer),
		ties:      make(map[engine.Fence]string),
		documents: make(map[document][]byte),
		seed:      maphash.MakeSeed(),
	}
	for i := range s.shard {
		s.shard[i].table = newTable()
	}
	return s
}

// maxKey is room for a packed key that most keys need no more than.
const maxKey = 512

func (s *Store) hash(key []byte) uint64 { return maphash.Bytes(s.seed, key) }

func (s *Store) shardOf(hash uint64) *shard { return &s.shard[hash%shards] }

// Claim is [engine.Store.Claim].
func (s *Store) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	if err := s.usable(ctx); err != nil {
		return engine.Verdict{}, fmt.Errorf("claim key: %w", err)
	}
	c.Now = engine.UTC(c.Now)
	var room [maxKey]byte
	key := appendKey(room[:0], c.Key)
	hash := s.hash(key)
	sh := s.shardOf(hash)
	sh.Lock()
	defer sh.Unlock()
	at := sh.find(hash, key)
	existing := sh.read(at)
	v, err := engine.Decide(existing, c, 0, p)
	if err == nil && v.Outcome == engine.Fresh {
		// Only a claim that is written takes a token.
		v, err = engine.Decide(existing, c, engine.Fence(s.fence.Add(1)), p)
	}
	if err != nil {
		return engine.Verdict{}, fmt.Errorf("claim key: %w", err)
	}
	if v.Outcome == engine.Fresh {
		sh.put(hash, at, pack(&v.Record))
	}
	return v, nil
}

// Complete is [engine.Store.Complete].
func (s *Store) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	if err := s.usable(ctx); err != nil {
		return engine.Record{}, 0, fmt.Errorf("complete claim: %w", err)
	}
	c.Now = engine.UTC(c.Now)
	s.ledger.Lock()
	defer s.ledger.Unlock()
	var room [maxKey]byte
	key := appendKey(room[:0], c.Key)
	hash := s.hash(key)
	sh := s.shardOf(hash)
	sh.Lock()
	defer sh.Unlock()
	at := sh.find(hash, key)
	if at == 0 {
		return engine.Record{}, engine.Lost, nil
	}
	existing := sh.rows[at].record()
	if !engine.Holds(&existing, c, p) {
		return engine.Record{}, engine.Lost, nil
	}
	t := &tx{s: s, life: existing.Life, held: sh}
	var reply engine.Reply
	err := t.undoneOnError(func() (err error) {
		reply, err = effect(context.WithoutCancel(ctx), t)
		return err
	})
	if err != nil {
		return engine.Record{}, 0, fmt.Errorf("complete claim: effect: %w", err)
	}
	if len(reply.Header) == 0 {
		reply.Header = nil // as every store gives it back
	}
	next, settled := engine.Settle(existing, c, reply, p)
	if settled == engine.Released {
		sh.remove(hash, at)
	} else {
		sh.put(hash, at, pack(&next))
	}
	return next, settled, nil
}

// Purge is [engine.Store.Purge]. It holds up the claims of one shard at a time.
// Which records go first does not matter: all that may go count as absent.
func (s *Store) Purge(ctx context.Context, cutoff, now time.Time, limit int) (int, error) {
	if err := s.usable(ctx); err != nil {
		return 0, fmt.Errorf("purge: %w", err)
	}
	purged := 0
	for i := range s.shard {
		sh := &s.shard[i]
		sh.Lock()
		purged += sh.purge(limit-purged, s.hash, func(r *engine.Record) bool { return engine.Purgeable(r, cutoff, now) })
		sh.Unlock()
	}
	return purged, nil
}

// View is [engine.Store.View].
func (s *Store) View(ctx context.Context, fn func(engine.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	s.lockAll()
	defer s.unlockAll()
	if err := fn(&tx{s: s, all: true, readOnly: true}); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return nil
}

// Update is [engine.Store.Update].
func (s *Store) Update(ctx context.Context, fn func(engine.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	s.lockAll()
	defer s.unlockAll()
	t := &tx{s: s, all: true}
	if err := t.undoneOnError(func() error { return fn(t) }); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	return nil
}

// Close makes every later call fail.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return fmt.Errorf("%w: the store is closed", engine.ErrUnavailable)
	}
	return ctx.Err()
}

func (s *Store) lockAll() {
	s.ledger.Lock()
	for i := range s.shard {
		s.shard[i].Lock()
	}
}

func (s *Store) unlockAll() {
	for i := range s.shard {
		s.shard[i].Unlock()
	}
	s.ledger.Unlock()
}
