//go:build faults

package simulate

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"idem/engine"
)

// number reads a setting of the test.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// worlds runs some and reports whether none of them was broken. It says how to
// repeat the one that was.
func worlds(t *testing.T, r *Rig, first, count uint64) bool {
	t.Helper()
	for world := first; world < first+count; world++ {
		results := r.World(t, world)
		if last := results[len(results)-1]; last.Broken != "" {
			t.Errorf("seed %d is broken; repeat it with\n\tSIMULATE_FIRST=%d SIMULATE_WORLDS=1 go test -tags faults -run TestSchedules ./proof/simulate\n%s",
				last.Seed, world, last.History)
			return false
		}
	}
	return true
}

// TestSchedules runs SIMULATE_WORLDS worlds from SIMULATE_FIRST on. All must hold,
// and everything dangerous must have happened.
func TestSchedules(t *testing.T) {
	r := NewRig(t, Options{})
	first, count := number(t, "SIMULATE_FIRST", 0), number(t, "SIMULATE_WORLDS", 80)
	if !worlds(t, r, first, count) {
		return
	}
	t.Logf("simulate: %d schedules hold, seeds %d to %d: %s", r.Counters.Schedules, first*PerWorld, (first+count)*PerWorld-1, &r.Counters)
	if zero := r.Counters.Zero(); len(zero) > 0 && count >= 20 {
		t.Errorf("these never happened, so that nothing is proved about them: %s", zero)
	}
}

// TestKeptSeeds runs the worlds in which something was broken once.
func TestKeptSeeds(t *testing.T) {
	f, err := os.Open("testdata/seeds.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := NewRig(t, Options{})
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		seed, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			t.Fatal(err)
		}
		worlds(t, r, seed/PerWorld, 1)
	}
}

// TestSameSeedSameHistory: byte for byte, in another rig, too.
func TestSameSeedSameHistory(t *testing.T) {
	var histories [2][]Result
	for i := range histories {
		r := NewRig(t, Options{})
		for world := range uint64(4) {
			histories[i] = append(histories[i], r.World(t, world)...)
		}
	}
	for i, one := range histories[0] {
		if other := histories[1][i]; one != other {
			t.Fatalf("seed %d is\n%s\nand when it is repeated\n%s", one.Seed, one.History, other.History)
		}
		if len(one.History) < 500 {
			t.Errorf("nothing much happens in seed %d:\n%s", one.Seed, one.History)
		}
	}
	if histories[0][0].History == histories[0][1].History {
		t.Error("two seeds have one history")
	}
}

// wrong are stores with something wrong in front of them; each must be found.
var wrong = map[string]func(engine.Store) engine.Store{
	"a completion shows the token that stands there": func(s engine.Store) engine.Store {
		return faulty{Store: s, complete: func(ctx context.Context, c engine.Completion, p engine.Policy, e engine.Effect) (engine.Record, engine.Settlement, error) {
			if r, err := recordOf(s, c.Key); err == nil && r != nil {
				c.Fence = r.Fence
			}
			return s.Complete(ctx, c, p, e)
		}}
	},
	"who lost the claim pays all the same": func(s engine.Store) engine.Store {
		return faulty{Store: s, complete: func(ctx context.Context, c engine.Completion, p engine.Policy, e engine.Effect) (engine.Record, engine.Settlement, error) {
			r, settled, err := s.Complete(ctx, c, p, e)
			if err == nil && settled == engine.Lost {
				return r, settled, unprotected(ctx, s, e)
			}
			return r, settled, err
		}}
	},
	"a store that fails is gone round": func(s engine.Store) engine.Store {
		return faulty{Store: s, complete: func(ctx context.Context, c engine.Completion, p engine.Policy, e engine.Effect) (engine.Record, engine.Settlement, error) {
			r, settled, err := s.Complete(ctx, c, p, e)
			if err != nil {
				return r, engine.Lost, unprotected(ctx, s, e)
			}
			return r, settled, err
		}}
	},
	"a failed completion counts as done": func(s engine.Store) engine.Store {
		return faulty{Store: s, complete: func(ctx context.Context, c engine.Completion, p engine.Policy, e engine.Effect) (engine.Record, engine.Settlement, error) {
			r, settled, err := s.Complete(ctx, c, p, e)
			if err != nil {
				return engine.Record{Key: c.Key, State: engine.Completed, Reply: engine.Reply{Status: 201}}, engine.Kept, nil
			}
			return r, settled, nil
		}}
	},
	"a purge takes live claims": func(s engine.Store) engine.Store {
		return faulty{Store: s, purge: func(ctx context.Context, cutoff, now time.Time, limit int) (int, error) {
			return s.Purge(ctx, cutoff, now.Add(time.Hour), limit)
		}}
	},
	"a purge spares the boundary": func(s engine.Store) engine.Store {
		return faulty{Store: s, purge: func(ctx context.Context, cutoff, now time.Time, limit int) (int, error) {
			return s.Purge(ctx, cutoff, now.Add(-1), limit)
		}}
	},
	"the lease has one unit more": func(s engine.Store) engine.Store {
		return faulty{Store: s, claim: func(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
			c.Lease++
			return s.Claim(ctx, c, p)
		}}
	},
	"retention has one unit more": func(s engine.Store) engine.Store {
		return faulty{Store: s, claim: func(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
			if p.Retention != engine.Forever {
				p.Retention++
			}
			return s.Claim(ctx, c, p)
		}}
	},
	"another body is not seen": func(s engine.Store) engine.Store {
		return faulty{Store: s, claim: func(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
			if r, err := recordOf(s, c.Key); err == nil && r != nil {
				c.Fingerprint = r.Fingerprint
			}
			return s.Claim(ctx, c, p)
		}}
	},
}

// unprotected runs an effect outside of any claim.
func unprotected(ctx context.Context, s engine.Store, e engine.Effect) error {
	return s.Update(ctx, func(tx engine.Tx) error {
		_, err := e(ctx, tx)
		return err
	})
}

// faulty is a store of which some calls are others.
type faulty struct {
	engine.Store
	claim    func(context.Context, engine.Claim, engine.Policy) (engine.Verdict, error)
	complete func(context.Context, engine.Completion, engine.Policy, engine.Effect) (engine.Record, engine.Settlement, error)
	purge    func(ctx context.Context, cutoff, now time.Time, limit int) (int, error)
}

func (f faulty) Claim(ctx context.Context, c engine.Claim, p engine.Policy) (engine.Verdict, error) {
	if f.claim == nil {
		return f.Store.Claim(ctx, c, p)
	}
	return f.claim(ctx, c, p)
}

func (f faulty) Complete(ctx context.Context, c engine.Completion, p engine.Policy, e engine.Effect) (engine.Record, engine.Settlement, error) {
	if f.complete == nil {
		return f.Store.Complete(ctx, c, p, e)
	}
	return f.complete(ctx, c, p, e)
}

func (f faulty) Purge(ctx context.Context, cutoff, now time.Time, limit int) (int, error) {
	if f.purge == nil {
		return f.Store.Purge(ctx, cutoff, now, limit)
	}
	return f.purge(ctx, cutoff, now, limit)
}

// TestSeededFaults: each wrong store is found within some worlds.
func TestSeededFaults(t *testing.T) {
	for name, wrap := range wrong {
		t.Run(name, func(t *testing.T) {
			r := NewRig(t, Options{Wrap: wrap})
			for world := range uint64(40) {
				results := r.World(t, world)
				if last := results[len(results)-1]; last.Broken != "" {
					t.Logf("found at seed %d: %.120s", last.Seed, last.Broken)
					return
				}
			}
			t.Errorf("not found in %d schedules", r.Counters.Schedules)
		})
	}
}
