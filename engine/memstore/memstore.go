// Package memstore keeps the engine's records and the ledger in memory: for
// tests, for the workbench and as the plainest statement of what a store does.
// Everything is lost with the process.
package memstore

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
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

type shard struct {
	sync.Mutex
	records map[engine.ScopedKey]engine.Record
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
		s.shard[i].records = make(map[engine.ScopedKey]engine.Record)
	}
	return s
}

func (s *Store) shardOf(key engine.ScopedKey) *shard {
	return &s.shard[maphash.Comparable(s.seed, key)%shards]
}

// Claim is [engine.Store.Claim].
func (s *Store) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	if err := s.usable(ctx); err != nil {
		return engine.Verdict{}, fmt.Errorf("claim key: %w", err)
	}
	c.Now = utc(c.Now)
	sh := s.shardOf(c.Key)
	sh.Lock()
	defer sh.Unlock()
	existing := sh.find(c.Key)
	v, err := engine.Decide(existing, c, 0, p)
	if err == nil && v.Outcome == engine.Fresh {
		// Only a claim that is written takes a token.
		v, err = engine.Decide(existing, c, engine.Fence(s.fence.Add(1)), p)
	}
	if err != nil {
		return engine.Verdict{}, fmt.Errorf("claim key: %w", err)
	}
	if v.Outcome == engine.Fresh {
		sh.records[c.Key] = v.Record // a claim has no reply yet, so nothing is shared
	}
	return v, nil
}

// Complete is [engine.Store.Complete].
func (s *Store) Complete(ctx context.Context, c engine.Completion, p engine.Policy, effect engine.Effect) (engine.Record, engine.Settlement, error) {
	if err := s.usable(ctx); err != nil {
		return engine.Record{}, 0, fmt.Errorf("complete claim: %w", err)
	}
	c.Now = utc(c.Now)
	s.ledger.Lock()
	defer s.ledger.Unlock()
	sh := s.shardOf(c.Key)
	sh.Lock()
	defer sh.Unlock()
	existing := sh.find(c.Key)
	if !engine.Holds(existing, c, p) {
		return engine.Record{}, engine.Lost, nil
	}
	t := &tx{s: s, claim: existing, held: sh}
	var reply engine.Reply
	err := t.undoneOnError(func() (err error) {
		reply, err = effect(context.WithoutCancel(ctx), t)
		return err
	})
	if err != nil {
		return engine.Record{}, 0, fmt.Errorf("complete claim: effect: %w", err)
	}
	next, settled := engine.Settle(*existing, c, clonedReply(reply), p)
	if settled == engine.Released {
		delete(sh.records, c.Key)
	} else {
		sh.records[c.Key] = next
	}
	return cloned(next), settled, nil
}

// Purge is [engine.Store.Purge]; the oldest go first.
func (s *Store) Purge(ctx context.Context, cutoff, now time.Time, limit int) (int, error) {
	if err := s.usable(ctx); err != nil {
		return 0, fmt.Errorf("purge: %w", err)
	}
	s.lockAll()
	defer s.unlockAll()
	var old []engine.Record
	for i := range s.shard {
		for _, r := range s.shard[i].records {
			if engine.Purgeable(&r, cutoff, now) {
				old = append(old, r)
			}
		}
	}
	slices.SortFunc(old, byAge)
	old = old[:max(0, min(limit, len(old)))]
	for _, r := range old {
		delete(s.shardOf(r.Key).records, r.Key)
	}
	return len(old), nil
}

func byAge(a, b engine.Record) int {
	if c := a.ClaimedAt.Compare(b.ClaimedAt); c != 0 {
		return c
	}
	return slices.CompareFunc(columns(a.Key), columns(b.Key), strings.Compare)
}

func columns(k engine.ScopedKey) []string { return []string{k.ClientID, k.Endpoint, k.Key} }

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

// find copies the record of a key; nil when there is none.
func (sh *shard) find(key engine.ScopedKey) *engine.Record {
	r, ok := sh.records[key]
	if !ok {
		return nil
	}
	r = cloned(r)
	return &r
}

// utc is t as every store gives it back: in UTC, without a monotonic part.
func utc(t time.Time) time.Time { return t.UTC().Round(0) }

func cloned(r engine.Record) engine.Record {
	r.Reply = clonedReply(r.Reply)
	return r
}

// clonedReply shares no memory with r; nil and empty bodies stay apart.
func clonedReply(r engine.Reply) engine.Reply {
	r.Body = slices.Clone(r.Body)
	r.Header = append([]engine.Field(nil), r.Header...)
	return r
}
