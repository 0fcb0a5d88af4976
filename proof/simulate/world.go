//go:build faults

package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine"
	"idem/engine/fault"
	"idem/engine/sqlitestore"
	"idem/engine/storetest"
)

// Options are how schedules are run; the zero value is the real program.
type Options struct {
	// Wrap puts something wrong between the servers and their stores.
	Wrap func(engine.Store) engine.Store
}

// Result is what became of one schedule.
type Result struct {
	Seed uint64
	// History is all that happened, a line each.
	History string
	// Broken is the first thing that did not hold, "" for none.
	Broken string
}

// Rig is where worlds are run, one at a time: a folder in memory and an empty
// file that each begins with.
type Rig struct {
	path     string
	template []byte
	o        Options
	// Counters are how often each thing happened in all schedules.
	Counters Counters
}

// NewRig makes a rig. Its folder goes with the test.
func NewRig(tb testing.TB, o Options) *Rig {
	tb.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "idem-simulate")
	if err != nil {
		dir = tb.TempDir()
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	r := &Rig{path: filepath.Join(dir, "pay.db"), o: o}
	store, err := sqlitestore.Open(context.Background(), r.path, sqlitestore.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if err := store.Close(); err != nil {
		tb.Fatal(err)
	}
	if r.template, err = os.ReadFile(r.path); err != nil {
		tb.Fatal(err)
	}
	return r
}

// PerWorld is how many schedules one file and its servers see, one after the
// other, each with accounts and keys of its own. Opening a file and auditing it
// cost as much as a schedule does.
const PerWorld = 25

// world is a file, its servers, and what is known of them.
type world struct {
	*Rig
	schedule
	now     time.Time
	latest  time.Time // that now has been
	model   *storetest.Model
	servers []*server
	broken  string
	made    int64 // transfers, by the reference

	// mu guards parked: several goroutines of one server may arrive at once. All
	// the rest belongs to whoever was let go, as everybody else waits.
	mu     sync.Mutex
	parked []*waiter
	active *server
}

// schedule is what begins anew with each seed.
type schedule struct {
	seed    uint64
	n       int // of the world's
	random  *rand.Rand
	policy  engine.Policy
	up      []*server
	keys    []string
	bodies  [2]string // the two requests that share a key
	sends   int       // left
	purges  int       // left
	workers int       // begun
	running int       // of them
	calm    bool
	history history
}

// waiter is a goroutine that waits to be let go.
type waiter struct {
	server *server
	worker int // 0 for the store's writer
	place  string
	wake   chan error
}

// start is when every world begins.
var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// World runs the schedules of PerWorld seeds, those from number*PerWorld on. It
// ends with the first that is broken.
func (r *Rig) World(t *testing.T, number uint64) (results []Result) {
	t.Helper()
	if err := os.WriteFile(r.path, r.template, 0o600); err != nil {
		t.Fatal(err)
	}
	w := &world{Rig: r, now: start, latest: start, model: storetest.NewModel()}
	synctest.Test(t, func(*testing.T) {
		fault.Watch(w.point)
		defer w.end()
		for n := range 3 {
			s := &server{n: n}
			w.servers = append(w.servers, s)
			w.open(s)
		}
		for n := range PerWorld {
			if w.broken == "" {
				w.begins(number*PerWorld+uint64(n), n)
				w.play()
				w.judge()
				results = append(results, Result{w.seed, w.history.text(), w.broken})
			}
		}
	})
	w.audit()
	results[len(results)-1].Broken = w.broken
	return results
}

// fail notes the first thing that does not hold.
func (w *world) fail(format string, args ...any) {
	if w.broken == "" {
		w.broken = fmt.Sprintf(format, args...)
		w.history.add("BROKEN: %s", w.broken)
	}
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// begins draws what stays the same through a schedule.
func (w *world) begins(seed uint64, n int) {
	w.Counters.Schedules++
	r := rand.New(rand.NewPCG(seed, 0))
	w.schedule = schedule{seed: seed, n: n, random: r, keys: []string{fmt.Sprint("x", n), fmt.Sprint("y", n)}}
	w.bodies = [2]string{
		fmt.Sprintf(`{"src":"A%d","dst":"B%d","amount":25,"currency":"KRW"}`, n, n),
		fmt.Sprintf(`{"src":%d,"dst":"A%d","amount":11,"currency":"KRW"}`, n, n),
	}
	w.policy = engine.DefaultPolicy()
	// In nanoseconds, so that no unit is between two instants.
	w.policy.Lease, w.policy.Retention = 30, pick(r, 100, 100, engine.Forever)
	w.policy.Stored = pick(r, engine.StoreAll, engine.StoreAll, engine.StoreNot5xx, engine.StoreSuccess)
	w.policy.OnMismatch = pick(r, 422, 422, 422, engine.MismatchReplays)
	w.sends, w.purges = 4+r.IntN(6), max(0, r.IntN(4)-1)
	w.up = w.servers[:pick(r, 1, 2, 2, 2, 3)]
	w.now = w.latest
	w.calm = true
	if err := errors.Join(w.openAccounts(w.servers[0].file), w.openAccounts(w.model)); err != nil {
		w.fail("accounts are not opened: %v", err)
	}
	w.calm = false
}

// accounts are so poor that some payments are refused.
func (w *world) accounts() []engine.Account {
	a, b, c := fmt.Sprint("A", w.n), fmt.Sprint("B", w.n), fmt.Sprint(w.n)
	return []engine.Account{{ID: a, Holder: "Ann", Balance: 60}, {ID: b}, {ID: c, Integer: true, Balance: 30}}
}

func (w *world) openAccounts(s engine.Store) error {
	return s.Update(context.Background(), func(tx engine.Tx) error {
		for _, a := range w.accounts() {
			if err := tx.OpenAccount(context.Background(), a); err != nil {
				return err
			}
		}
		return nil
	})
}

// park waits until the scheduler lets this goroutine go on; its error is that
// the place is to fail, or that the server has crashed.
func (w *world) park(s *server, worker int, place string) error {
	p := &waiter{s, worker, place, make(chan error)}
	w.mu.Lock()
	w.parked = append(w.parked, p)
	w.mu.Unlock()
	return <-p.wake
}

// release lets one go on and waits until all stand still again.
func (w *world) release(p *waiter, err error) {
	w.parked = slices.DeleteFunc(w.parked, func(other *waiter) bool { return other == p })
	w.active = p.server
	p.wake <- err
	w.settle()
}

// settle waits until everybody stands still. Those who arrived together did so
// in any order, so they are put in one.
func (w *world) settle() {
	synctest.Wait()
	slices.SortFunc(w.parked, func(a, b *waiter) int {
		return cmp.Or(a.server.n-b.server.n, a.worker-b.worker)
	})
}
