//go:build faults

package simulate

import (
	"context"
	"errors"

	"idem/engine"
	"idem/engine/fault"
	"idem/engine/sqlitestore"
)

// server is one process: a store of its own on the common file.
type server struct {
	n       int
	dead    bool
	file    *sqlitestore.Store
	store   engine.Store // file, or what is wrong around it
	workers int          // that run here
	queue   []*call      // with the writer, not begun
	batch   []*call      // in the present transaction
	current *call        // the one that a place is inside of
}

var (
	errCrashed = errors.New("the server has crashed")
	errFault   = errors.New("the disk fails here")
)

// open starts a server on the file, for the first time or again.
func (w *world) open(s *server) {
	file, err := sqlitestore.Open(context.Background(), w.path, sqlitestore.Options{BusyTimeout: -1, NoCreate: true})
	if err != nil {
		w.fail("server %d does not start: %v", s.n, err)
		return
	}
	s.file, s.store, s.dead = file, file, false
	if w.o.Wrap != nil {
		s.store = w.o.Wrap(file)
	}
}

// point is where the store's writers come by.
func (w *world) point(place string) error {
	if w.calm && len(w.parked) == 0 && w.running == 0 {
		return nil // nobody is there but the scheduler itself
	}
	s := w.active
	switch place {
	case fault.BeforeBegin:
		s.batch, s.queue = s.queue, nil
		if w.Counters.count(place); len(s.batch) > 1 {
			w.Counters.Together++
		}
	case fault.AfterCommit:
		w.Counters.count(place)
		w.commit(s)
	default:
		w.Counters.count(place)
		if place == fault.InPurge {
			s.current = s.nextPurge()
		}
	}
	if s.dead {
		return errCrashed
	}
	return w.park(s, 0, place)
}

// nextPurge is the first purge of the batch that has not come by yet.
func (s *server) nextPurge() *call {
	for _, c := range s.batch {
		if c.purges && !c.seen && !c.spared { // one whose client left does not come by
			c.seen = true
			return c
		}
	}
	return nil
}

// commit has the reference do what a transaction did.
func (w *world) commit(s *server) {
	for _, c := range s.batch {
		if c.committed = !c.spared; c.committed {
			c.want = c.do(context.Background(), w.model)
			w.history.renewed = w.history.renewed || c.want.verdict.Expired || c.want.purged > 0
		}
	}
}

// spoil makes the place fail where a writer waits. In the middle of an operation
// it is that one's failure, else all of the transaction's.
func (w *world) spoil(p *waiter) {
	w.history.add("server %d: %s fails", p.server.n, p.place)
	switch p.place {
	case fault.InEffect, fault.InPurge:
		w.Counters.FailedOperations++
		p.server.current.spared = true
	default:
		if p.place == fault.AfterCommit {
			w.Counters.LostAnswers++
		} else {
			w.Counters.FailedCommits++
		}
		for _, c := range p.server.batch {
			c.unsure = !w.stands(c)
		}
	}
	w.release(p, errFault)
}

// leave has the client of an operation go away that waits for its turn, if one
// does. What is begun is not looked at any more, and a completion never.
func (w *world) leave() {
	for _, s := range w.up {
		calls := s.queue
		if p := w.waiting(s); p != nil && p.place == fault.BeforeBegin {
			calls = append(calls[:len(calls):len(calls)], s.batch...)
		}
		if len(calls) == 0 {
			continue
		}
		c := calls[w.random.IntN(len(calls))]
		w.history.add("server %d: a client leaves, which drops its operation: %t", s.n, !c.steady)
		if c.leaves(); c.steady {
			w.Counters.LeftCompletions++
		} else {
			c.spared = true
			w.Counters.LeftOthers++
		}
		return
	}
}

// crash ends a server: whoever waits in it is never answered, the file is
// dropped where it is, and another server starts in its place.
func (w *world) crash(s *server) {
	w.history.add("server %d: crashes with %d requests", s.n, s.workers)
	w.Counters.Crashes++
	s.dead = true
	for p := w.waiting(s); p != nil; p = w.waiting(s) {
		if p.worker == 0 && p.place != fault.BeforeBegin {
			w.Counters.CrashesInside++
		}
		w.release(p, errCrashed)
	}
	if err := s.file.Close(); err != nil {
		w.fail("server %d is not closed: %v", s.n, err)
	}
	s.queue, s.batch = nil, nil
	w.open(s)
}

func (w *world) waiting(s *server) *waiter {
	for _, p := range w.parked {
		if p.server == s {
			return p
		}
	}
	return nil
}
