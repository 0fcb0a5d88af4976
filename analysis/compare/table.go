package compare

import (
	"context"
	"errors"

	"idem/analysis/replay"
)

// Table is a day on two sides. Its methods may run at the same time.
type Table struct {
	Total int64 // requests of the day
	Sides [2]Side
	Sums  [2]Sums

	tracks [2]*track
	any    *marks // that differ at all
	money  *marks // that differ in money
}

// Pairs are up to limit requests from position from on.
func (t *Table) Pairs(from int64, limit int) ([]Pair, error) {
	from = max(from, 1)
	to := min(t.Total, from+int64(limit)-1)
	if to < from {
		return nil, nil
	}
	list := make([]Pair, to-from+1)
	for side, track := range t.tracks {
		cells, err := track.cells(from, to)
		if err != nil {
			return nil, err
		}
		for i := range list {
			list[i].N, list[i].Cells[side] = from+int64(i), cells[i]
		}
	}
	for i := range list {
		list[i].Differs = t.Differs(list[i].N)
	}
	return list, nil
}

// Differs is how the two sides of a position differ.
func (t *Table) Differs(n int64) Difference {
	switch {
	case t.money.has(n):
		return Money
	case t.any.has(n):
		return Answer
	}
	return Same
}

// of are the positions that differ at least so much.
func (t *Table) of(least Difference) *marks {
	if least == Money {
		return t.money
	}
	return t.any
}

// Count is how many requests differ at least so much.
func (t *Table) Count(least Difference) int64 { return t.of(least).count() }

// Nth is the position of the nth request, from 1, that differs at least so much;
// 0 when there are fewer.
func (t *Table) Nth(i int64, least Difference) int64 { return t.of(least).nth(i) }

// Rank is how many requests up to a position, itself included, differ at least so
// much.
func (t *Table) Rank(n int64, least Difference) int64 { return t.of(least).rank(n) }

// Next is the nearest position after from, before it for a backward direction,
// that differs at least so much; 0 when there is none. From may lie outside the
// day, which is where the first and the last one are found from.
func (t *Table) Next(from int64, dir replay.Direction, least Difference) int64 {
	m := t.of(least)
	if dir == replay.Forward {
		return m.nth(m.rank(max(0, min(from, t.Total))) + 1)
	}
	return m.nth(m.rank(max(0, min(from-1, t.Total))))
}

// scan finds what differs, once both sides are complete.
func (t *Table) scan(ctx context.Context) error {
	t.any, t.money = newMarks(t.Total), newMarks(t.Total)
	for from := int64(1); from <= t.Total; from += blockCells {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(t.Total, from+blockCells-1)
		left, err := t.tracks[0].cells(from, to)
		if err != nil {
			return err
		}
		right, err := t.tracks[1].cells(from, to)
		if err != nil {
			return err
		}
		for i := range left {
			t.mark(from+int64(i), differ(&t.Sides, left[i], right[i]))
		}
	}
	t.any.seal()
	t.money.seal()
	return nil
}

func (t *Table) mark(n int64, d Difference) {
	if d != Same {
		t.any.add(n)
	}
	if d == Money {
		t.money.add(n)
	}
}

// Close removes what is kept of the comparison.
func (t *Table) Close() error {
	var errs []error
	for _, track := range t.tracks {
		if track != nil {
			errs = append(errs, track.remove())
		}
	}
	return errors.Join(errs...)
}
