package analysis

import (
	"cmp"
	"context"
	"slices"

	"pgregory.net/rapid"
)

// checkLists holds that each count has its list, while the lists are short.
func checkLists(t *rapid.T, d *Duplicates) {
	if n := d.BadRequests + d.BadTransfers + d.BadAccounts; int(n) != len(d.Bad) {
		t.Fatalf("%d bad rows, %d listed", n, len(d.Bad))
	}
	if int(d.UnmatchedCount) != len(d.Unmatched) || int(d.KeyDiffersCount) != len(d.KeyDiffers) {
		t.Fatalf("%+v", d)
	}
	for _, k := range d.KeyDiffers {
		if k.Request == k.Transfer {
			t.Fatalf("%+v is no difference", k)
		}
	}
}

// checkStream compares Requests, from any position, and Timeline.
func checkStream(t *rapid.T, in *Incident, o *oracle) {
	ctx := context.Background()
	from := rapid.IntRange(1, len(o.requests)+1).Draw(t, "from")
	i := from - 1
	for r, err := range in.Requests(ctx, int64(from)) {
		if err != nil {
			t.Fatal(err)
		}
		want := o.requests[i]
		i++
		if r.N != int64(i) || r.Seq != want.seq || r.ClientID != want.client || r.Key != want.key || (r.Unusable != "") != want.unusable {
			t.Fatalf("request %d is %+v, want %+v", i, r, want)
		}
		var ids []string
		for _, x := range r.Transfers {
			ids = append(ids, x.ID)
		}
		if wantIDs := o.transfersOf(want); !slices.Equal(ids, wantIDs) {
			t.Fatalf("request %d has transfers %q, want %q", i, ids, wantIDs)
		}
	}
	if i != len(o.requests) {
		t.Fatalf("%d requests, want %d", i, len(o.requests))
	}
	tl, err := in.Timeline(ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	requests, retries, untimed := o.timeline()
	if total(tl.Requests) != requests || total(tl.Retries) != retries || tl.Untimed != untimed {
		t.Fatalf("%+v, want %d %d %d", tl, requests, retries, untimed)
	}
}

func total(list []int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}

func (o *oracle) transfersOf(r *oracleRequest) []string {
	var list []*oracleTransfer
	for _, x := range o.transfers {
		if !x.bad && o.request(x) == r {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b *oracleTransfer) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	var ids []string
	for _, x := range list {
		ids = append(ids, x.id)
	}
	return ids
}

func (o *oracle) timeline() (requests, retries, untimed int64) {
	seen := map[Scope]bool{}
	for _, r := range o.requests {
		again := r.keyed && seen[r.scope()]
		if r.keyed {
			seen[r.scope()] = true
		}
		switch {
		case !r.timed:
			untimed++
		case again:
			retries++
			requests++
		default:
			requests++
		}
	}
	return requests, retries, untimed
}

// checkGroups holds that look-ups agree with the analysis.
func checkGroups(t *rapid.T, in *Incident, d *Duplicates) {
	for _, g := range d.Groups {
		list, err := in.TransfersOf(context.Background(), g.Scope)
		if err != nil || int64(len(list)) != g.Transfers {
			t.Fatalf("%v %+v, want %+v", err, list, g)
		}
		for i, x := range list {
			if want := append([]string{g.Kept}, g.Extra...)[i]; x.ID != want || x.Number != i+1 {
				t.Fatalf("%+v, want %+v", list, g)
			}
		}
		requests, err := in.RequestsOf(context.Background(), g.Scope)
		if err != nil || int64(len(requests)) != g.Requests {
			t.Fatalf("%v %d requests, want %d", err, len(requests), g.Requests)
		}
	}
}
