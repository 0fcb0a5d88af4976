package httpidem_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
	"idem/engine/sqlitestore"
)

func sqlite(t *testing.T, path string, patience time.Duration) engine.Store {
	t.Helper()
	s, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{BusyTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Another process holds the write lock for longer than anybody waits: the answer
// is 503, never 409 and never a run without protection.
func TestLockHeldByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	r := newRig(t, httpidem.Options{}, created)
	r.store.Store = sqlite(t, path, 10*time.Millisecond)
	other := sqlite(t, path, time.Second)

	held, release := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		err := other.Update(context.Background(), func(tx engine.Tx) error {
			err := tx.PutDocument(context.Background(), "test", "held", []byte("x"))
			close(held)
			<-release
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	w := r.post("k", "x")
	close(release)
	holder.Wait()
	want(t, w, 503, "store_unavailable")
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	r.ran(0)
	want(t, r.post("k", "x"), 201, "")
}

// Two processes over one file: one key at the same instant runs once.
func TestTwoProcessesOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	a := newRig(t, httpidem.Options{}, created)
	a.store.Store = sqlite(t, path, 5*time.Second)
	b := newRig(t, httpidem.Options{}, created)
	b.store.Store = sqlite(t, path, 5*time.Second)

	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			w := []*rig{a, b}[i%2].post("k", "x")
			if w.Code != 201 && w.Code != 409 {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	if n := a.runs.Load() + b.runs.Load(); n != 1 {
		t.Errorf("handler ran %d times", n)
	}
	isReplay(t, a.post("k", "x"), true)
	isReplay(t, b.post("k", "x"), true)
}

// A stored reply that is not what was stored is sent to nobody, and the log says
// why; the handler does not run again.
func TestDamagedReply(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	r.store.Store = sqlite(t, filepath.Join(t.TempDir(), "store.db"), time.Second)
	want(t, r.post("k", "x"), 201, "")
	err := r.store.Update(context.Background(), func(tx engine.Tx) error {
		own, _ := sqlitestore.SQLTx(tx)
		_, err := own.Exec("UPDATE idempotency_key SET body = ?", []byte("y"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, r.post("k", "x"), 503, "store_unavailable")
	if err := r.last().Err; !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("the event tells of %v, want ErrDamaged", err)
	}
	r.ran(1)
}
