package httpidem

import (
	"sync"
	"time"
)

// watch gives up the runs whose lease ends. It has one timer for all of them, as
// a timer each would cost more than anything else in the layer: leases of one
// layer are equally long, so the run that began first is the next to end, and
// nearly all are over long before.
type watch struct {
	mu          sync.Mutex
	first, last *run // by their ends
	// armed is when the timer fires next, the zero time when it does not. That may
	// be too early, for a run that is over by then; so the timer is seldom set.
	armed time.Time
	timer *time.Timer
}

// add watches a run from now on.
func (w *watch) add(r *run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.last
	for before != nil && before.end.After(r.end) {
		before = before.prev
	}
	w.insert(r, before)
	if w.armed.IsZero() || r.end.Before(w.armed) {
		w.arm()
	}
}

// remove ends the watch of a run. It returns nil, or what is closed when the run,
// which was given up before, has been answered for.
func (w *watch) remove(r *run) (given <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.given == nil {
		w.unlink(r)
	}
	return r.given
}

func (w *watch) insert(r, before *run) {
	r.prev = before
	if before == nil {
		r.next, w.first = w.first, r
	} else {
		r.next, before.next = before.next, r
	}
	if r.next == nil {
		w.last = r
	} else {
		r.next.prev = r
	}
}

func (w *watch) unlink(r *run) {
	if r.prev == nil {
		w.first = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		w.last = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
}

// arm sets the timer for the first run.
func (w *watch) arm() {
	w.armed = w.first.end
	if left := time.Until(w.armed); w.timer == nil {
		w.timer = time.AfterFunc(left, w.fire)
	} else {
		w.timer.Reset(left)
	}
}

func (w *watch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = time.Time{}
	for w.first != nil && !time.Now().Before(w.first.end) {
		over := w.first
		w.unlink(over)
		over.given = make(chan struct{})
		go over.giveUp() // it writes to a client, who may be slow
	}
	if w.first != nil {
		w.arm()
	}
}
