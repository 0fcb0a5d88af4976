package sqlitestore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/sqlitestore"
)

// balances of A and B, as a fresh process would read them.
func balances(t *testing.T, path string) (a, b int64) {
	t.Helper()
	store := openLive(t, path, sqlitestore.Options{NoCreate: true})
	defer store.Close()
	err := store.View(context.Background(), func(tx engine.Tx) error {
		for id, into := range map[string]*int64{"A": &a, "B": &b} {
			account, err := tx.Account(context.Background(), id)
			if err != nil {
				return err
			}
			*into = account.Balance
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// TestProcessesOneKey: of many processes that create one new file at once and
// claim one key, each finds a working store and exactly one pays.
func TestProcessesOneKey(t *testing.T) {
	for round := range 4 {
		path := filepath.Join(t.TempDir(), "new.db")
		all := make([]orders, 8)
		for i := range all {
			all[i] = orders{Path: path, Key: "one", ID: fmt.Sprint("T", i), Now: day}
		}
		fresh := 0
		for i, lines := range runChildren(t, all...) {
			switch {
			case slices.Equal(lines, []string{"fresh", "kept"}):
				fresh++
			case slices.Equal(lines, []string{"in_flight"}), slices.Equal(lines, []string{"replay"}):
			default:
				t.Errorf("child %d: %v", i, lines)
			}
		}
		if a, b := balances(t, path); fresh != 1 || a != 99 || b != 1 {
			t.Errorf("round %d: %d processes executed, balances %d and %d", round, fresh, a, b)
		}
	}
}

func TestProcessesManyKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.db")
	all := make([]orders, 8)
	for i := range all {
		all[i] = orders{Path: path, Key: fmt.Sprint("key", i), ID: fmt.Sprint("T", i), Now: day}
	}
	for i, lines := range runChildren(t, all...) {
		if !slices.Equal(lines, []string{"fresh", "kept"}) {
			t.Errorf("child %d: %v", i, lines)
		}
	}
	if a, b := balances(t, path); a != 92 || b != 8 {
		t.Errorf("balances %d and %d", a, b)
	}
}

// TestKilledProcess kills a process with SIGKILL at each point and sends the
// request again: in flight while the lease runs, then one transfer in all.
func TestKilledProcess(t *testing.T) {
	lease := engine.DefaultPolicy().Lease
	for point, want := range map[string]struct{ early, late []string }{
		killAfterClaim:    {[]string{"in_flight"}, []string{"fresh", "kept"}},
		killInEffect:      {[]string{"in_flight"}, []string{"fresh", "kept"}},
		killAfterComplete: {[]string{"replay"}, []string{"replay"}},
	} {
		t.Run(point, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "killed.db")
			send := func(id, kill string, now time.Time) []string {
				return runChildren(t, orders{Path: path, Key: "k", ID: id, Kill: kill, Now: now})[0]
			}
			send("T1", point, day)
			if got := send("T2", "", day.Add(lease-1)); !slices.Equal(got, want.early) {
				t.Errorf("a retry under the lease: %v, want %v", got, want.early)
			}
			if got := send("T3", "", day.Add(lease)); !slices.Equal(got, want.late) {
				t.Errorf("a retry after the lease: %v, want %v", got, want.late)
			}
			if got := send("T4", "", day.Add(lease+1)); !slices.Equal(got, []string{"replay"}) {
				t.Errorf("the last retry: %v, want a replay", got)
			}
			if a, b := balances(t, path); a != 99 || b != 1 {
				t.Errorf("balances %d and %d, want one transfer", a, b)
			}
		})
	}
}

// TestFenceSurvives: tokens go on after a purge and after the file was closed.
func TestFenceSurvives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fence.db")
	seen := map[engine.Fence]bool{}
	p := engine.DefaultPolicy()
	for i := range 5 {
		store := openLive(t, path, sqlitestore.Options{})
		now := day.Add(time.Duration(i) * p.Retention)
		c, err := claimOf(p, "k", now)
		if err != nil {
			t.Fatal(err)
		}
		v, err := store.Claim(context.Background(), c, p)
		if err != nil || v.Outcome != engine.Fresh || seen[v.Record.Fence] {
			t.Errorf("claim %d: %v, fence %d, %v", i, v.Outcome, v.Record.Fence, err)
		}
		seen[v.Record.Fence] = true
		later := now.Add(p.Lease)
		if n, err := store.Purge(context.Background(), later, later, 10); n != 1 || err != nil {
			t.Errorf("purged %d, %v", n, err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpenTogether: connections that create one file and turn it to WAL at the
// same time wait for each other. SQLite itself does not wait in all of these.
func TestOpenTogether(t *testing.T) {
	for round := range 10 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(round))
		var group sync.WaitGroup
		gate := make(chan struct{})
		for range 16 {
			group.Go(func() {
				<-gate
				store, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{BusyTimeout: time.Minute})
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				if err := openTwo(store); err != nil {
					t.Errorf("open accounts: %v", err)
				}
				if err := store.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
		}
		close(gate)
		group.Wait()
	}
}
