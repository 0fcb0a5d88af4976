package compare

import (
	"context"
	"errors"
	"fmt"

	"idem/analysis/replay"
	"idem/analysis/whatif"
	"idem/engine"
)

// ErrNothing: two recorded sides are no comparison.
var ErrNothing = errors.New("one side at least must be a policy")

// Run replays the day for two sides and keeps them in files of dir, a private
// folder, until the table is closed. Progress, which may be nil, is told how many
// rows of how many were sent. Errors: of the day's reading, of the disk, ctx's
// own; those of policies wrap [engine.ErrPolicy].
func Run(ctx context.Context, day replay.Source, dir string, sides [2]Side, progress func(done, total int64)) (*Table, error) {
	r := &run{table: &Table{Sides: sides}}
	cases := r.cases()
	if len(cases) == 0 {
		return nil, ErrNothing
	}
	for i := range r.table.tracks {
		track, err := newTrack(dir)
		if err != nil {
			return nil, errors.Join(err, r.table.Close())
		}
		r.table.tracks[i] = track
	}
	if err := r.fill(ctx, day, cases, progress); err != nil {
		return nil, errors.Join(err, r.table.Close())
	}
	return r.table, nil
}

// run fills a table.
type run struct {
	table *Table
	sides [2]int // the side of each case
}

// cases are the policies that the day is replayed under.
func (r *run) cases() (list []whatif.Case) {
	for i, s := range r.table.Sides {
		if !s.Recorded {
			r.sides[len(list)] = i
			list = append(list, whatif.Case{Name: s.Name, Policy: s.Policy})
		}
	}
	return list
}

func (r *run) fill(ctx context.Context, day replay.Source, cases []whatif.Case, progress func(done, total int64)) error {
	got, err := whatif.Compare(ctx, day, cases, whatif.Options{Progress: progress, Each: r.each})
	if err != nil {
		return err
	}
	t := r.table
	t.Total = got.Requests
	for i := range got.Lines {
		t.Sums[r.sides[i]].replayed(&got.Lines[i].Figures)
	}
	for i, side := range t.Sides {
		if side.Recorded {
			t.Sums[i].Extra = got.V1Extra
		}
		if err := t.tracks[i].flush(); err != nil {
			return err
		}
	}
	return t.scan(ctx)
}

// each keeps what became of a row under a case. Each case has a track of its own;
// the recorded side is written along with the first case.
func (r *run) each(at int, row *replay.Row, s *replay.Step) error {
	side := r.sides[at]
	if err := r.table.tracks[side].put(row.N(), replayedCell(s)); err != nil {
		return err
	}
	if other := 1 - side; r.table.Sides[other].Recorded {
		return r.record(other, row)
	}
	return nil
}

// record keeps what the log and the ledger say of a row.
func (r *run) record(side int, row *replay.Row) error {
	c, err := recordedCell(row)
	if err != nil {
		return fmt.Errorf("sum up request %d: %w", row.N(), err)
	}
	if err := r.table.Sums[side].recorded(row); err != nil {
		return err
	}
	return r.table.tracks[side].put(row.N(), c)
}

// recorded adds a row of the recorded side.
func (s *Sums) recorded(row *replay.Row) error {
	switch status := row.Status(); {
	case status == 0:
		s.Unlogged++
	case status < 400:
		s.Succeeded++
	default:
		s.Failed++
	}
	s.Transfers += int64(row.V1Count())
	for i := range row.V1Count() {
		amount, currency := row.V1(i)
		if err := s.Moved.Add(currency, amount); err != nil {
			return fmt.Errorf("sum up request %d: %w", row.N(), err)
		}
	}
	return nil
}

// replayed takes the sums of a policy's side over.
func (s *Sums) replayed(f *whatif.Figures) {
	s.Transfers, s.Moved, s.Extra = f.Created, f.Transferred, f.Extra
	s.Classes = [...]int64{replay.Created: f.Created, replay.Replayed: f.Replayed,
		replay.InFlight: f.InFlight, replay.Mismatch: f.Mismatch, replay.Refused: f.Refused}
}

// Default is the usual comparison: what was recorded beside what a policy does.
func Default(name string, p engine.Policy) [2]Side {
	return [2]Side{Recorded(), Under(whatif.Case{Name: name, Policy: p})}
}
