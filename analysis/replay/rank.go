package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"idem/engine/sqlitestore"
)

// By is what steps can be ranked by.
type By uint8

// Columns of steps. The position, and with it the time, is their own order.
const (
	ByOutcome By = iota
	ByStatus
	ByEngine // money that the engine moved, by figure, whatever the currency
	ByV1     // money that the unprotected service moved
	ByClient
	ByKey
)

// figures are the columns that the journal has.
var figures = map[By]string{ByOutcome: "class", ByStatus: "status", ByEngine: "moved", ByV1: "v1_moved"}

// rankedText is up to how many bytes of a text count; equal ones keep the order
// of the day.
const rankedText = 256

// Ranked is a step in a ranking: its position and what it is ranked by.
type Ranked struct {
	N      int64
	Figure int64  // of a column of figures
	Text   string // of a column of texts
}

// Ranking asks for a part of the steps up to the frontier in another order than
// the day's. Steps that are equal in it keep the day's.
type Ranking struct {
	By   By
	Down bool // the greatest first
	// After is the step before the first one that is wanted; nil for the first of
	// all. With Back it is the one behind the last, and nil for the end.
	After *Ranked
	Back  bool
	Limit int // steps that are wanted at most; 1 or more
	// Keep, which may be nil, says which of the positions from..to are ranked.
	Keep func(ctx context.Context, from, to int64) (kept func(n int64) bool, err error)
	// Progress, which may be nil, is told how many steps of how many were seen.
	Progress func(done, total int64)
}

// Part is a part of a ranking.
type Part struct {
	Steps []Ranked // in the ranking's order
	Of    int64    // how many steps are ranked
	Seen  int64    // and out of how many; the others were not kept
}

// Rank ranks the steps as they stand at the frontier. No index is kept for it, and
// nothing is loaded whole: one pass over the journal (over the log, for texts)
// keeps the Limit best that lie behind After, and a further part is a further
// pass. Memory is that of 2 Limit steps. The player can be used in between.
func (p *Player) Rank(ctx context.Context, r Ranking) (Part, error) {
	k := &ranker{Ranking: r, low: math.MinInt64, high: math.MaxInt64}
	total := p.Frontier()
	if r.Limit < 1 {
		return Part{}, fmt.Errorf("rank steps: a limit of %d", r.Limit)
	}
	if r.After != nil {
		k.bound(r.After.Figure, !r.Back)
	}
	var err error
	if r.By < ByClient {
		err = p.rankFigures(ctx, k, total)
	} else {
		err = p.rankTexts(ctx, k, total)
	}
	if err != nil {
		return Part{}, err
	}
	k.cut()
	if r.Back {
		slices.Reverse(k.best)
	}
	k.part.Steps, k.part.Seen = k.best, total
	return k.part, nil
}

// rankSlice is how many steps are looked at at once, so that a screen can look at
// the player in between.
const rankSlice = 8192

func (p *Player) rankFigures(ctx context.Context, k *ranker, total int64) error {
	for from := int64(1); from <= total; from += rankSlice {
		to := min(total, from+rankSlice-1)
		kept, err := k.keep(ctx, from, to)
		if err != nil {
			return err
		}
		if err := p.rankSlice(ctx, k, from, to, kept); err != nil {
			return err
		}
		k.tell(to, total)
	}
	return nil
}

// rankSlice lets the journal leave out what cannot be among the best.
func (p *Player) rankSlice(ctx context.Context, k *ranker, from, to int64, kept func(int64) bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.journal.settle(); err != nil {
		return err
	}
	if kept == nil {
		k.part.Of += to - from + 1
	}
	column := figures[k.By]
	q := `SELECT n, ` + column + ` FROM step WHERE n BETWEEN ? AND ?`
	args := []any{from, to}
	if kept == nil { // else all of them are counted
		q += ` AND ` + column + ` BETWEEN ? AND ?`
		args = append(args, k.low, k.high)
	}
	err := p.journal.db.Query(ctx, q, args, func(row sqlitestore.Row) error {
		var s Ranked
		if err := row.Scan(&s.N, &s.Figure); err != nil {
			return err
		}
		if kept != nil {
			if !kept(s.N) {
				return nil
			}
			k.part.Of++
		}
		k.add(s)
		return nil
	})
	if err != nil {
		return fmt.Errorf("rank steps: %w", err)
	}
	return nil
}

func (p *Player) rankTexts(ctx context.Context, k *ranker, total int64) error {
	var kept func(int64) bool
	for r, err := range p.in.Requests(ctx, 1) {
		if err != nil {
			return fmt.Errorf("rank requests: %w", err)
		}
		if r.N > total {
			break
		}
		if (r.N-1)%rankSlice == 0 {
			if kept, err = k.keep(ctx, r.N, min(total, r.N+rankSlice-1)); err != nil {
				return err
			}
			k.tell(r.N-1, total)
		}
		if kept != nil && !kept(r.N) {
			continue
		}
		k.part.Of++
		text := r.Key
		if k.By == ByClient {
			text = r.ClientID
		}
		k.add(Ranked{N: r.N, Text: strings.Clone(text[:min(len(text), rankedText)])})
	}
	return ctx.Err()
}

// ranker keeps the best of what it is shown.
type ranker struct {
	Ranking
	best      []Ranked
	low, high int64 // figures outside cannot be among the best
	part      Part
}

func (k *ranker) keep(ctx context.Context, from, to int64) (func(int64) bool, error) {
	if k.Keep == nil {
		return nil, ctx.Err()
	}
	return k.Keep(ctx, from, to)
}

func (k *ranker) tell(done, total int64) {
	if k.Progress != nil {
		k.Progress(done, total)
	}
}

// compare is the order in which steps are wanted: the ranking's, or its reverse.
func (k *ranker) compare(a, b Ranked) int {
	c := cmp.Or(cmp.Compare(a.Figure, b.Figure), strings.Compare(a.Text, b.Text))
	if k.Down {
		c = -c
	}
	c = cmp.Or(c, cmp.Compare(a.N, b.N))
	if k.Back {
		c = -c
	}
	return c
}

// add takes a step in that lies behind After, and now and then drops the worst.
func (k *ranker) add(s Ranked) {
	if k.After != nil && k.compare(s, *k.After) <= 0 {
		return
	}
	if k.best = append(k.best, s); len(k.best) >= 2*k.Limit {
		k.cut()
		k.bound(k.best[len(k.best)-1].Figure, k.Back)
	}
}

// cut leaves the best, in their order.
func (k *ranker) cut() {
	slices.SortFunc(k.best, k.compare)
	k.best = k.best[:min(len(k.best), k.Limit)]
}

// bound leaves out figures beyond one: those before it in the ranking, or those
// after it.
func (k *ranker) bound(figure int64, before bool) {
	if before != k.Down {
		k.low = max(k.low, figure)
	} else {
		k.high = min(k.high, figure)
	}
}
