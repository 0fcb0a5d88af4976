package replay

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"idem/analysis"
	"idem/engine"
	"idem/fixtures"
	"idem/fixtures/dayfile"
)

// ranked is a player of a day that has been run through, with its requests.
func ranked(t *testing.T) (*Player, []Step, []analysis.Request) {
	t.Helper()
	ctx := context.Background()
	o := fixtures.Lab()
	o.Requests, o.Keys = 400, 300
	path := dayfile.Of(t, o)
	p := open(t, path, engine.DefaultPolicy())
	p.through(t)
	steps, err := p.Steps(ctx, 1, p.Total(), int(p.Total()))
	if err != nil {
		t.Fatal(err)
	}
	var requests []analysis.Request
	for r, err := range p.in.Requests(ctx, 1) {
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, r)
	}
	return p, steps, requests
}

// Each part of each ranking is what sorting everything gives, from either end.
func TestRankAgreesWithSorting(t *testing.T) {
	p, steps, requests := ranked(t)
	ctx := context.Background()
	columns := map[By]func(a, b int64) int{
		ByOutcome: func(a, b int64) int { return cmp.Compare(steps[a-1].Class, steps[b-1].Class) },
		ByStatus:  func(a, b int64) int { return cmp.Compare(steps[a-1].Status, steps[b-1].Status) },
		ByEngine:  func(a, b int64) int { return cmp.Compare(steps[a-1].Moved, steps[b-1].Moved) },
		ByV1:      func(a, b int64) int { return cmp.Compare(steps[a-1].V1Moved, steps[b-1].V1Moved) },
		ByClient:  func(a, b int64) int { return strings.Compare(requests[a-1].ClientID, requests[b-1].ClientID) },
		ByKey:     func(a, b int64) int { return strings.Compare(requests[a-1].Key, requests[b-1].Key) },
	}
	odd := func(context.Context, int64, int64) (func(int64) bool, error) {
		return func(n int64) bool { return n%2 == 1 }, nil
	}
	for by, compare := range columns {
		for _, down := range []bool{false, true} {
			for _, sifted := range []bool{false, true} {
				var want []int64
				r := Ranking{By: by, Down: down, Limit: 37}
				for n := int64(1); n <= p.Total(); n++ {
					if !sifted || n%2 == 1 {
						want = append(want, n)
					}
				}
				if sifted {
					r.Keep = odd
				}
				slices.SortStableFunc(want, func(a, b int64) int {
					if down {
						return compare(b, a)
					}
					return compare(a, b)
				})
				if got := walkRanking(t, p, ctx, r, int64(len(want))); !slices.Equal(got, want) {
					t.Errorf("by %d, down %v, sifted %v: forwards\n%v, want\n%v", by, down, sifted, got, want)
				}
				r.Back = true
				if got := walkRanking(t, p, ctx, r, int64(len(want))); !slices.Equal(got, want) {
					t.Errorf("by %d, down %v, sifted %v: backwards\n%v, want\n%v", by, down, sifted, got, want)
				}
			}
		}
	}
}

// walkRanking goes through a ranking part by part.
func walkRanking(t *testing.T, p *Player, ctx context.Context, r Ranking, of int64) (list []int64) {
	t.Helper()
	for range 1000 {
		part, err := p.Rank(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		if part.Of != of || part.Seen != p.Total() {
			t.Fatalf("%d ranked of %d, want %d of %d", part.Of, part.Seen, of, p.Total())
		}
		if len(part.Steps) == 0 {
			return list
		}
		var some []int64
		for _, s := range part.Steps {
			some = append(some, s.N)
		}
		if r.Back {
			list, r.After = append(some, list...), &part.Steps[0]
		} else {
			list, r.After = append(list, some...), &part.Steps[len(part.Steps)-1]
		}
	}
	t.Fatal("the ranking has no end")
	return nil
}

func TestRankIsGivenUp(t *testing.T) {
	p, _, _ := ranked(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, by := range []By{ByV1, ByKey} {
		if _, err := p.Rank(ctx, Ranking{By: by, Limit: 5}); !errors.Is(err, context.Canceled) {
			t.Errorf("by %d: %v", by, err)
		}
	}
	if _, err := p.Rank(context.Background(), Ranking{}); err == nil {
		t.Error("no limit is no error")
	}
}
