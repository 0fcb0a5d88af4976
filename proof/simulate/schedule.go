//go:build faults

package simulate

import (
	"time"

	"idem/engine"
	"idem/engine/fault"
)

// play runs the schedule: wild first, then until everybody is done, and last a
// retry of each key, when nothing is wrong any more and all leases are over: each
// must get an end.
func (w *world) play() {
	for steps := 0; w.broken == "" && steps < 400 && (w.sends > 0 || len(w.parked) > 0); steps++ {
		w.step()
	}
	w.drain()
	w.calm = true
	w.now = w.latest.Add(w.policy.Lease)
	for _, key := range w.keys {
		for variant := uint8(1); variant <= 2 && (variant == 1 || w.stuck(key)); variant++ {
			w.send(w.up[0], key, variant)
			w.drain()
		}
		if w.broken == "" && w.stuck(key) {
			w.fail("key %s is stuck", key)
		}
	}
	if w.broken == "" {
		w.look()
		w.transfers()
	}
}

// drain lets everybody go on until all are done.
func (w *world) drain() {
	for w.broken == "" && len(w.parked) > 0 {
		w.release(w.parked[0], nil)
	}
}

// end stops all servers, wherever they are.
func (w *world) end() {
	for _, s := range w.servers {
		s.dead = true
		for p := w.waiting(s); p != nil; p = w.waiting(s) {
			w.release(p, errCrashed)
		}
		if err := s.file.Close(); err != nil {
			w.fail("server %d is not closed: %v", s.n, err)
		}
	}
	fault.Watch(nil)
	if w.running != 0 {
		w.fail("%d workers have not ended", w.running)
	}
}

// step is one thing that happens.
func (w *world) step() {
	switch n := w.random.IntN(100); {
	case n < 58 && len(w.parked) > 0:
		p := w.parked[w.random.IntN(len(w.parked))]
		w.history.add("server %d: worker %d goes on from %s", p.server.n, p.worker, p.place)
		w.release(p, nil)
	case n < 63:
		w.trouble()
	case n < 64:
		w.crash(w.up[w.random.IntN(len(w.up))])
	case n < 80 && w.sends > 0:
		w.sends--
		w.send(w.up[w.random.IntN(len(w.up))], pick(w.random, w.keys...), pick(w.random, uint8(1), 1, 1, 2))
	case n < 92:
		w.tick()
	case n < 95:
		if w.purges > 0 {
			w.purges--
			w.purge(w.up[w.random.IntN(len(w.up))])
		}
	case n < 96:
		w.look()
	case n < 98:
		w.leave()
	}
}

// trouble makes something fail where a writer waits, if one does.
func (w *world) trouble() {
	for _, p := range w.parked {
		if p.worker == 0 && w.random.IntN(2) == 0 {
			w.spoil(p)
			return
		}
	}
}

// tick moves the clock: a little, back, or to the end of a lease or a retention
// or right beside it.
func (w *world) tick() {
	w.Counters.Jumps++
	next := w.now.Add(pick(w.random, 0, 1, 2, time.Duration(w.random.Int64N(20))))
	switch r := w.anyRecord(); {
	case w.random.IntN(8) == 0:
		w.Counters.Backwards++
		next = w.now.Add(-time.Duration(1 + w.random.Int64N(15)))
	case r != nil && w.random.IntN(2) == 0:
		w.Counters.Boundaries++
		end := r.LeaseUntil
		if w.policy.Retention != engine.Forever && w.random.IntN(3) == 0 {
			end = r.ClaimedAt.Add(w.policy.Retention)
		}
		next = end.Add(time.Duration(w.random.IntN(3) - 1))
	}
	if w.now = next; next.After(w.latest) {
		w.latest = next
	}
	w.history.add("it is %d", w.now.Sub(start))
}

// anyRecord is one that a key has; nil for none.
func (w *world) anyRecord() *engine.Record {
	r, err := recordOf(w.model, keyOf(pick(w.random, w.keys...)))
	if err != nil {
		w.fail("the reference is not read: %v", err)
	}
	return r
}

// purgeable counts the records before a cutoff that must be spared now, and
// those whose retention is over.
func (w *world) purgeable(cutoff time.Time) (live, expired int64) {
	for _, key := range w.keys {
		r, err := recordOf(w.model, keyOf(key))
		switch {
		case err != nil || r == nil || !r.ClaimedAt.Before(cutoff):
		case !engine.Purgeable(r, cutoff, w.now):
			live++
		case w.policy.Expired(r, w.now):
			expired++
		}
	}
	return live, expired
}
