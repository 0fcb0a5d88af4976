package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
)

var (
	errCommit = errors.New("no answer to the commit")
	now       = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	policy    = engine.DefaultPolicy()
)

// opened is a live store with accounts A and B and one claim of the key "held".
func opened(t *testing.T) (*Store, engine.Record) {
	t.Helper()
	store, err := Open(context.Background(), filepath.Join(t.TempDir(), "x.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	err = store.Update(context.Background(), func(tx engine.Tx) error {
		return errors.Join(tx.OpenAccount(context.Background(), engine.Account{ID: "A", Balance: 100}), tx.OpenAccount(context.Background(), engine.Account{ID: "B"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := store.Claim(context.Background(), claim("held"), policy)
	if err != nil || v.Outcome != engine.Fresh {
		t.Fatal(v, err)
	}
	return store, v.Record
}

func claim(key string) engine.Claim {
	return engine.Claim{Key: engine.ScopedKey{Key: key}, Fingerprint: engine.Fingerprint{1}, Now: now, Lease: policy.Lease}
}

// pay completes a claim with a transfer from A to B and counts its runs.
func pay(store *Store, r engine.Record, runs *int) (engine.Record, engine.Settlement, error) {
	return store.Complete(context.Background(), engine.Completion{Key: r.Key, Fence: r.Fence, Now: now}, policy,
		func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			*runs++
			t := engine.Transfer{ID: "T1", Src: "A", Dst: "B", Amount: 1, Currency: "KRW", CreatedAt: now}
			return engine.Reply{Status: 201}, tx.Post(ctx, t)
		})
}

// commitOnce makes the next commit end as told, and the later ones as usual.
func commitOnce(store *Store, end func() error) {
	w := store.w
	w.commit = func() error {
		w.commit = w.s.commit
		return end()
	}
}

// connectionLost makes the commit fail and every statement on the file after it:
// the connection is then one to an empty database.
func connectionLost(t *testing.T, store *Store) func() error {
	return func() error {
		nowhere, err := sqlfile.Open(":memory:", sqlfile.Create)
		if err != nil {
			t.Fatal(err)
		}
		file := *store.w.s.c
		t.Cleanup(func() { _ = file.close() })
		*store.w.s.c = conn{db: nowhere, stmts: map[string]*sqlfile.Stmt{}}
		return errCommit
	}
}

// TestCommitWithoutAnswer: the commit happened, its answer was lost. What stands
// in the file is the answer, and nothing runs twice.
func TestCommitWithoutAnswer(t *testing.T) {
	store, held := opened(t)
	happened := func() error { return errors.Join(store.w.s.commit(), errCommit) }

	commitOnce(store, happened)
	v, err := store.Claim(context.Background(), claim("new"), policy)
	if err != nil || v.Outcome != engine.Fresh {
		t.Errorf("claim: %v, %v; it is in the file and ours", v.Outcome, err)
	}
	commitOnce(store, happened)
	v, err = store.Claim(context.Background(), claim("new"), policy)
	if v.Outcome == engine.Fresh || err == nil && v.Outcome != engine.InFlight {
		t.Errorf("claim that lost: %v, %v", v.Outcome, err)
	}
	runs := 0
	commitOnce(store, happened)
	r, settled, err := pay(store, held, &runs)
	if err != nil || settled != engine.Kept || r.State != engine.Completed || runs != 1 {
		t.Errorf("completion: %v, %+v, %d runs, %v; it is in the file", settled, r, runs, err)
	}
	commitOnce(store, happened)
	if err := store.Update(context.Background(), func(engine.Tx) error { return nil }); !errors.Is(err, engine.ErrUnknownCommit) || !errors.Is(err, errCommit) {
		t.Errorf("update: %v, want ErrUnknownCommit", err)
	}
	balanceOf(t, store, 99)
}

// TestCommitThatFailed: the commit did not happen, and that can be read.
func TestCommitThatFailed(t *testing.T) {
	store, held := opened(t)
	failed := func() error { return errCommit }

	commitOnce(store, failed)
	v, err := store.Claim(context.Background(), claim("new"), policy)
	if !errors.Is(err, engine.ErrUnavailable) || !errors.Is(err, errCommit) || errors.Is(err, engine.ErrUnknownCommit) {
		t.Errorf("claim: %v, %v; want ErrUnavailable", v.Outcome, err)
	}
	runs := 0
	commitOnce(store, failed)
	if _, _, err := pay(store, held, &runs); !errors.Is(err, engine.ErrUnavailable) || runs != 1 {
		t.Errorf("completion: %v, %d runs; want ErrUnavailable", err, runs)
	}
	balanceOf(t, store, 100)
	// Both may be sent again.
	if v, err := store.Claim(context.Background(), claim("new"), policy); err != nil || v.Outcome != engine.Fresh || v.Record.Fence == held.Fence {
		t.Errorf("claim again: %v, %v", v, err)
	}
	if _, settled, err := pay(store, held, &runs); err != nil || settled != engine.Kept || runs != 2 {
		t.Errorf("completion again: %v, %v, %d runs", settled, err, runs)
	}
	balanceOf(t, store, 99)
}

// TestCommitUnknown: no answer, and the file cannot be read any more.
func TestCommitUnknown(t *testing.T) {
	for name, call := range map[string]func(*Store, engine.Record) error{
		"claim": func(s *Store, _ engine.Record) error {
			_, err := s.Claim(context.Background(), claim("new"), policy)
			return err
		},
		"completion": func(s *Store, r engine.Record) error { _, _, err := pay(s, r, new(int)); return err },
		"purge": func(s *Store, _ engine.Record) error {
			_, err := s.Purge(context.Background(), now, now, 1)
			return err
		},
	} {
		store, held := opened(t)
		commitOnce(store, connectionLost(t, store))
		if err := call(store, held); !errors.Is(err, engine.ErrUnknownCommit) || !errors.Is(err, errCommit) {
			t.Errorf("%s: %v, want ErrUnknownCommit", name, err)
		}
	}
}

func balanceOf(t *testing.T, store *Store, want int64) {
	t.Helper()
	err := store.View(context.Background(), func(tx engine.Tx) error {
		a, err := tx.Account(context.Background(), "A")
		if err == nil && a.Balance != want {
			t.Errorf("A has %d, want %d", a.Balance, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inOneBatch queues the operations while the writer is held up, so that they
// share its next commit. They run in the order of the queue; queued is called
// when all of them are in it.
func inOneBatch(store *Store, queued func(), ops ...func()) {
	begun, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		store.Update(context.Background(), func(engine.Tx) error { close(begun); <-release; return nil })
	})
	<-begun
	for i, op := range ops {
		group.Go(op)
		for len(store.w.queue) <= i {
			runtime.Gosched() // the queue is the only thing to wait for
		}
	}
	queued()
	close(release)
	group.Wait()
}

// put writes a document; end is how its transaction ends.
func put(ctx context.Context, store *Store, i, size int, end func() error) error {
	return store.Update(ctx, func(tx engine.Tx) error {
		return errors.Join(tx.PutDocument(ctx, "d", fmt.Sprint(i), make([]byte, size)), end())
	})
}

func stored(t *testing.T, store *Store, i int) (is bool) {
	t.Helper()
	err := store.View(context.Background(), func(tx engine.Tx) error {
		doc, err := tx.Document(context.Background(), "d", fmt.Sprint(i))
		is = doc != nil
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// TestGroup puts good, failing, panicking and cancelled operations into one
// commit: each has its own answer and none touches another's.
func TestGroup(t *testing.T) {
	store, _ := opened(t)
	commits := 0
	store.w.commit = func() error { commits++; return store.w.s.commit() }
	cancelled, cancel := context.WithCancel(context.Background())
	fine := func() error { return nil }
	errs := make([]error, 40)
	ops := make([]func(), len(errs))
	for i := range errs {
		ops[i] = []func(){
			func() { errs[i] = put(context.Background(), store, i, 1, fine) },
			func() { errs[i] = put(context.Background(), store, i, 1, func() error { return errCommit }) },
			func() {
				defer func() { errs[i] = fmt.Errorf("%v", recover()) }()
				put(context.Background(), store, i, 1, func() error { panic("boom") })
			},
			func() { errs[i] = put(cancelled, store, i, 1, fine) },
		}[i%4]
	}
	inOneBatch(store, cancel, ops...)
	for i, err := range errs {
		want := []bool{err == nil, errors.Is(err, errCommit), err != nil && err.Error() == "boom", errors.Is(err, context.Canceled)}[i%4]
		if !want || stored(t, store, i) != (i%4 == 0) {
			t.Errorf("operation %d: %v, stored %v", i, err, stored(t, store, i))
		}
	}
	if commits > 2 {
		t.Errorf("%d commits for one batch", commits)
	}
}

// TestGroupAborted fills the disk in the middle of a batch. SQLite then ends the
// whole transaction: what ran before is gone, and what comes after must not run
// outside of it. Nobody is told that it worked.
func TestGroupAborted(t *testing.T) {
	store, _ := opened(t)
	if _, err := store.w.s.c.row("PRAGMA max_page_count = 40"); err != nil {
		t.Fatal(err)
	}
	fine := func() error { return nil }
	errs := make([]error, 3)
	inOneBatch(store, func() {},
		func() { errs[0] = put(context.Background(), store, 0, 1, fine) },
		func() { errs[1] = put(context.Background(), store, 1, 1<<20, fine) },
		func() { errs[2] = put(context.Background(), store, 2, 1, fine) },
	)
	for i, err := range errs {
		if stored(t, store, i) || !errors.Is(err, engine.ErrUnavailable) && !errors.Is(err, engine.ErrUnknownCommit) {
			t.Errorf("operation %d: %v, stored %v", i, err, stored(t, store, i))
		}
	}
	if err := put(context.Background(), store, 3, 1, fine); err != nil || !stored(t, store, 3) {
		t.Errorf("after it: %v", err)
	}
}
