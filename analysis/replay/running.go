package replay

import (
	"container/heap"
	"time"

	"idem/engine"
)

// running is a claim whose completion is due.
type running struct {
	work
	due  time.Time
	step Step
	key  engine.ScopedKey
	// waiting are the v1 transfers of retries that were turned away while this
	// request ran: whether they are duplicates shows when it is done.
	waiting []waiting
	twin    bool // of a race; no row of the log
	// heir is the run that took this one's claim over, nil for none.
	heir       *running
	ended      bool // the step is final
	moved      bool // and money moved for it
	attributed bool // what v1 moved for it has been told apart
}

type waiting struct {
	n  int64
	v1 []v1Move
}

// queue orders completions by (time, seq), and by position where seqs are equal.
type queue []*running

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	switch {
	case !a.due.Equal(b.due):
		return a.due.Before(b.due)
	case a.seq != b.seq:
		return a.seq < b.seq
	case a.n != b.n:
		return a.n < b.n
	}
	return !a.twin && b.twin // a twin came second
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) { *q = append(*q, x.(*running)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return x
}

// popDue takes the next completion due by now; nil when there is none.
func (q *queue) popDue(now time.Time) *running {
	if len(*q) == 0 || (*q)[0].due.After(now) {
		return nil
	}
	return heap.Pop(q).(*running)
}
