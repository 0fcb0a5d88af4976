package payments

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"

	"idem/engine"
)

// maxDue bounds the expiries that are remembered, and sweepBatch what one
// transaction writes, so that it holds the store's write lock only briefly.
const (
	maxDue     = 100_000
	sweepBatch = 100
)

// expiries remembers which intents expire when. It is a convenience, not the
// truth: an intent's state at an instant follows from its document alone (see
// Intent.at), so that one which is forgotten, by a restart or because there are
// too many, is still canceled for everybody who reads it.
type expiries struct {
	mu   sync.Mutex
	heap dueHeap
}

type due struct {
	at time.Time
	id string
}

func (e *expiries) add(id string, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.heap) < maxDue {
		heap.Push(&e.heap, due{at, id})
	}
}

// take removes up to limit intents that are due at now.
func (e *expiries) take(now time.Time, limit int) []due {
	e.mu.Lock()
	defer e.mu.Unlock()
	var taken []due
	for len(taken) < limit && len(e.heap) > 0 && !now.Before(e.heap[0].at) {
		taken = append(taken, heap.Pop(&e.heap).(due))
	}
	return taken
}

// Sweep cancels intents that have expired, a batch at a time, and returns how
// many it wrote. It is to be called every now and then; after an error, again.
func (a *API) Sweep(ctx context.Context) (int, error) {
	swept := 0
	for ctx.Err() == nil {
		now := a.now()
		batch := a.due.take(now, sweepBatch)
		if len(batch) == 0 {
			return swept, nil
		}
		n, err := a.cancelExpired(ctx, batch, now)
		if err != nil {
			for _, d := range batch {
				a.due.add(d.id, d.at)
			}
			return swept, fmt.Errorf("cancel expired intents: %w", err)
		}
		swept += n
	}
	return swept, ctx.Err()
}

func (a *API) cancelExpired(ctx context.Context, batch []due, now time.Time) (written int, err error) {
	err = a.store.Update(ctx, func(tx engine.Tx) error {
		written = 0 // the store may run this again
		for _, d := range batch {
			changed, err := cancelIfExpired(ctx, tx, d.id, now)
			if err != nil {
				return err
			}
			if changed {
				written++
			}
		}
		return nil
	})
	return written, err
}

// cancelIfExpired changes nothing where the intent was never committed, or is
// canceled already.
func cancelIfExpired(ctx context.Context, tx engine.Tx, id string, now time.Time) (bool, error) {
	doc, err := loadIntent(ctx, tx, id)
	if err != nil || doc == nil {
		return false, err
	}
	intent, err := doc.Intent.at(now)
	if err != nil || intent.State == doc.Intent.State {
		return false, err
	}
	doc.Intent = intent
	return true, tx.PutDocument(ctx, documentKind, id, marshal(doc))
}

// dueHeap implements heap.Interface, the earliest first.
type dueHeap []due

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(due)) }
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	d := (*h)[last]
	*h = (*h)[:last]
	return d
}
