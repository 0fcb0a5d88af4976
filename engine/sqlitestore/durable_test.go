package sqlitestore

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"idem/engine"
)

// TestLiveIsDurable: a commit that was answered survives a power cut only with a
// write-ahead log that is synced at each commit. 2 is FULL.
func TestLiveIsDurable(t *testing.T) {
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "live.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for pragma, want := range map[string]any{"synchronous": int64(2), "journal_mode": "wal"} {
		if row, err := s.w.s.c.row("PRAGMA " + pragma); err != nil || row[0] != want {
			t.Errorf("%s is %v, %v; want %v", pragma, row, err, want)
		}
	}
}

// TestCompletionOutlivesItsClient: the client leaves while the completion waits
// for its turn. What its handler did outside is done, so that the result is
// stored all the same; a claim in its place is not made.
func TestCompletionOutlivesItsClient(t *testing.T) {
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "live.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := s.Claim(context.Background(), claim("a"), policy)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(context.Background())
	hold, held := make(chan struct{}), make(chan struct{})
	var calls sync.WaitGroup
	calls.Go(func() {
		if err := s.Update(context.Background(), func(engine.Tx) error { close(held); <-hold; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-held
	calls.Go(func() {
		done := engine.Completion{Key: v.Record.Key, Fence: v.Record.Fence, Now: now}
		_, settled, err := s.Complete(ctx, done, policy, func(context.Context, engine.Tx) (engine.Reply, error) {
			return engine.Reply{Status: 201}, nil
		})
		if settled != engine.Kept {
			t.Errorf("the completion is %v, %v", settled, err)
		}
	})
	calls.Go(func() {
		if v, err := s.Claim(ctx, claim("b"), policy); !errors.Is(err, context.Canceled) {
			t.Errorf("the claim is %v, %v", v.Outcome, err)
		}
	})
	for len(s.w.queue) < 2 {
		runtime.Gosched()
	}
	leave()
	close(hold)
	calls.Wait()
}
