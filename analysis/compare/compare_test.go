package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"idem/analysis/replay"
	"idem/analysis/replay/daytest"
	"idem/analysis/whatif"
	"idem/engine"
)

var ctx = context.Background()

func tableOf(t testing.TB, day replay.Source, dir string, sides [2]Side) *Table {
	t.Helper()
	table, err := Run(ctx, day, dir, sides, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// under is the default policy with changes, as a side.
func under(t testing.TB, changes string) Side {
	t.Helper()
	p, err := whatif.ParseChanges(changes, engine.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	return Under(whatif.Case{Name: changes, Policy: p})
}

func differences(t *Table) (list []int64) {
	for n := t.Next(0, replay.Forward, Answer); n != 0; n = t.Next(n, replay.Forward, Answer) {
		list = append(list, n)
	}
	return list
}

// A retry was paid again, a 504 was a payment after all, a 422 was one that v1
// let through: each differs where it should, and nothing else does.
func TestRecordedBesideReplayed(t *testing.T) {
	d := daytest.New()
	d.Pay(0, "k", 100, 0).Status = 200
	d.Pay(time.Second, "k", 100, 0).Status = 201
	d.Pay(2*time.Second, "other", 70, 0).Status = 504
	d.Pay(3*time.Second, "k", 999, 0)
	d.Pay(4*time.Second, "third", 5, 0)
	d.Ask(5*time.Second, "fourth", daytest.Order("a", "b", 5), 0).Status = 503
	table := tableOf(t, d, t.TempDir(), Default("default", engine.DefaultPolicy()))
	want := []Pair{
		{1, [2]Cell{{Status: 200, Moved: 100, Currency: "KRW"}, {Class: replay.Created, Status: 201, Moved: 100, Currency: "KRW"}}, Same},
		{2, [2]Cell{{Status: 201, Moved: 100, Currency: "KRW"}, {Class: replay.Replayed, Status: 201}}, Money},
		{3, [2]Cell{{Status: 504, Moved: 70, Currency: "KRW"}, {Class: replay.Created, Status: 201, Moved: 70, Currency: "KRW"}}, Answer},
		{4, [2]Cell{{Moved: 999, Currency: "KRW"}, {Class: replay.Mismatch, Status: 422, Reason: "idempotency_key_reused"}}, Money},
		{5, [2]Cell{{Moved: 5, Currency: "KRW"}, {Class: replay.Created, Status: 201, Moved: 5, Currency: "KRW"}}, Same},
		{6, [2]Cell{{Status: 503}, {Class: replay.Refused, Status: 503, Reason: replay.ReasonLoggedError}}, Same},
	}
	got, err := table.Pairs(1, 100)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nhave %+v\nwant %+v", err, got, want)
	}
	if got, _ := table.Pairs(3, 2); !reflect.DeepEqual(got, want[2:4]) {
		t.Errorf("a page from 3 is %+v", got)
	}
	if got := differences(table); !slices.Equal(got, []int64{2, 3, 4}) || table.Count(Money) != 2 {
		t.Errorf("%v differ, %d in money", got, table.Count(Money))
	}
	recorded, replayed := table.Sums[0], table.Sums[1]
	if recorded.Transfers != 5 || recorded.Moved.Of("KRW") != 1274 || recorded.Extra.ByCurrency.Of("KRW") != 1099 ||
		recorded.Succeeded != 2 || recorded.Failed != 2 || recorded.Unlogged != 2 {
		t.Errorf("recorded: %+v", recorded)
	}
	if replayed.Transfers != 3 || replayed.Moved.Of("KRW") != 175 || replayed.Extra.Count != 0 ||
		replayed.Classes != [...]int64{0, 3, 1, 0, 1, 1} {
		t.Errorf("replayed: %+v", replayed)
	}
}

// Money in a second currency is not lost beside an equal sum in the first.
func TestMixedCurrenciesDiffer(t *testing.T) {
	d := daytest.New()
	r := d.Pay(0, "k", 100, 0)
	daytest.Moved(r, 7)
	r.Transfers[1].Currency = "EUR"
	table := tableOf(t, d, t.TempDir(), Default("default", engine.DefaultPolicy()))
	pairs, err := table.Pairs(1, 1)
	if err != nil || pairs[0].Differs != Money || !pairs[0].Cells[0].Mixed || pairs[0].Cells[0].Moved != 100 {
		t.Errorf("%v: %+v", err, pairs)
	}
	if table.Sums[0].Moved.Of("EUR") != 7 || table.Sums[0].Transfers != 2 {
		t.Errorf("%+v", table.Sums[0])
	}
}

func TestTwoPolicies(t *testing.T) {
	d := daytest.New()
	d.Pay(0, "k", 100, 0)
	d.Pay(time.Hour, "k", 100, 0)
	d.Pay(2*time.Hour, "k", 100, time.Minute)
	d.Pay(2*time.Hour+time.Second, "k", 100, 0)
	table := tableOf(t, d, t.TempDir(), [2]Side{under(t, "retention_hours=72"), under(t, "retention_hours=1,on_in_flight=425")})
	pairs, err := table.Pairs(1, 10)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Difference
	for _, p := range pairs {
		kinds = append(kinds, p.Differs)
	}
	if !slices.Equal(kinds, []Difference{Same, Money, Money, Answer}) {
		t.Errorf("%v: %+v", kinds, pairs)
	}
	if right := table.Sums[1]; right.Transfers != 3 || right.Extra.Count != 2 || right.Extra.ByCurrency.Of("KRW") != 200 {
		t.Errorf("%+v", right)
	}
}

func TestNothingToCompare(t *testing.T) {
	dir := t.TempDir()
	if _, err := Run(ctx, daytest.New(), dir, [2]Side{Recorded(), Recorded()}, nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	table := tableOf(t, daytest.New(), dir, Default("default", engine.DefaultPolicy()))
	if pairs, err := table.Pairs(1, 10); err != nil || pairs != nil || table.Next(0, replay.Forward, Answer) != 0 || table.Next(9, replay.Backward, Answer) != 0 {
		t.Errorf("an empty day: %v, %v", pairs, err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	d := daytest.New()
	d.Pay(0, "k", 1, 0)
	if _, err := Run(gone, d, dir, Default("default", engine.DefaultPolicy()), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	table.Close()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What the sides hold of each row is what its steps say, whatever overlaps with
// what; and the sums are those of the rows.
func TestTableAgreesWithTheReplay(t *testing.T) {
	dir := t.TempDir()
	sides := [2]Side{under(t, "retention_hours=72"), under(t, "retention_hours=0.01,fingerprint=none,on_fingerprint_mismatch=replay")}
	rapid.Check(t, func(rt *rapid.T) {
		day := daytest.Any(rt)
		table, err := Run(ctx, day, dir, sides, nil)
		if err != nil {
			rt.Fatal(err)
		}
		defer table.Close()
		pairs, err := table.Pairs(1, 100)
		if err != nil {
			rt.Fatal(err)
		}
		for side := range sides {
			want := map[int64]Cell{}
			_, err := whatif.Compare(ctx, day, []whatif.Case{{Policy: sides[side].Policy}}, whatif.Options{
				Each: func(_ int, r *replay.Row, s *replay.Step) error { want[r.N()] = replayedCell(s); return nil }})
			if err != nil {
				rt.Fatal(err)
			}
			moved := int64(0)
			for _, p := range pairs {
				if p.Cells[side] != want[p.N] {
					rt.Errorf("side %d, request %d: %+v, want %+v", side, p.N, p.Cells[side], want[p.N])
				}
				moved += p.Cells[side].Moved
			}
			if got := table.Sums[side].Moved.Of("KRW"); got != moved {
				rt.Errorf("side %d: moved %d, its rows %d", side, got, moved)
			}
		}
		for _, p := range pairs {
			if want := differ(&sides, p.Cells[0], p.Cells[1]); want != p.Differs {
				rt.Errorf("request %d is %v, want %v", p.N, p.Differs, want)
			}
		}
	})
}

// Cells come back whatever the order in which they were put, over many blocks.
func TestTrackKeepsLateCells(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k, err := newTrack(t.TempDir())
		if err != nil {
			rt.Fatal(err)
		}
		defer k.remove()
		const total = 40 * blockCells
		want := make([]Cell, total)
		cell := func(n int64) Cell {
			return Cell{Class: replay.Created, Status: 201, Moved: n, Currency: fmt.Sprint("C", n%3), Mixed: n%2 == 0, Reason: fmt.Sprint(n % 5)}
		}
		late := rapid.SliceOfN(rapid.Int64Range(1, total), 1, 50).Draw(rt, "late")
		whole := rapid.Int64Range(0, 30).Draw(rt, "a block that ends late") * blockCells
		held := func(n int64) bool {
			return slices.Contains(late, n) || (n > whole && n <= whole+blockCells)
		}
		put := func(n int64) {
			want[n-1] = cell(n)
			if err := k.put(n, want[n-1]); err != nil {
				rt.Fatal(err)
			}
		}
		for n := int64(1); n <= total; n++ {
			if !held(n) {
				put(n)
			}
			if n == whole+20*blockCells {
				for l := whole + 1; l <= whole+blockCells; l++ {
					put(l)
				}
			}
		}
		for _, n := range late {
			put(n)
		}
		if err := k.flush(); err != nil {
			rt.Fatal(err)
		}
		got, err := k.cells(1, total)
		if err != nil || len(got) != total {
			rt.Fatal(err)
		}
		for i := range got {
			if got[i] != want[i] {
				rt.Fatalf("position %d: %+v, want %+v", i+1, got[i], want[i])
			}
		}
	})
}

func TestMarks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		total := rapid.Int64Range(1, 20_000).Draw(rt, "total")
		m := newMarks(total)
		list := rapid.SliceOfDistinct(rapid.Int64Range(1, total), rapid.ID).Draw(rt, "positions")
		slices.Sort(list)
		for _, n := range list {
			m.add(n)
		}
		m.seal()
		if m.count() != int64(len(list)) || m.nth(0) != 0 || m.nth(m.count()+1) != 0 {
			rt.Fatalf("%d marks, want %d", m.count(), len(list))
		}
		for i, n := range list {
			if m.nth(int64(i)+1) != n || m.rank(n) != int64(i)+1 || m.rank(n-1) != int64(i) || !m.has(n) {
				rt.Fatalf("mark %d is %d, rank %d, want %d", i+1, m.nth(int64(i)+1), m.rank(n), n)
			}
		}
		table := &Table{Total: total, any: m, money: m}
		from := rapid.Int64Range(-1, total+2).Draw(rt, "from")
		var before, after int64
		for _, n := range list {
			if n < from {
				before = n
			}
			if n > from && after == 0 {
				after = n
			}
		}
		if got := table.Next(from, replay.Forward, Money); got != after {
			rt.Errorf("after %d comes %d, want %d", from, got, after)
		}
		if got := table.Next(from, replay.Backward, Answer); got != before {
			rt.Errorf("before %d comes %d, want %d", from, got, before)
		}
	})
}
