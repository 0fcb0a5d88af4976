package analysis

import (
	"context"
	"testing"
)

func TestDuplicatesOfTheLab(t *testing.T) {
	in := open(t, lab(t))
	d, err := in.Duplicates(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Requests != 120 || d.UniqueKeys != 100 || d.ExtraTransfers != 20 || d.DuplicateKeys != 18 || len(d.Groups) != 18 || d.Transfers != 120 {
		t.Fatalf("%+v", d)
	}
}

func TestLookupsOfTheLab(t *testing.T) {
	ctx := context.Background()
	in := open(t, lab(t))
	d, err := in.Duplicates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range d.Groups {
		list, err := in.TransfersOf(ctx, g.Scope)
		if err != nil || int64(len(list)) != g.Transfers || list[0].ID != g.Kept || !list[0].Kept() {
			t.Fatalf("%+v %v", list, err)
		}
		for i, id := range g.Extra {
			if list[i+1].ID != id || list[i+1].Kept() {
				t.Fatalf("%+v", list)
			}
		}
		requests, err := in.RequestsOf(ctx, g.Scope)
		if err != nil || int64(len(requests)) != g.Requests {
			t.Fatalf("%+v %v", requests, err)
		}
		for _, r := range requests {
			if r.N != r.Seq || len(r.Transfers) != 1 || len(r.Body) == 0 {
				t.Fatalf("%+v", r)
			}
			one, err := in.Request(ctx, r.Seq)
			if err != nil || one.N != r.N || string(one.Body) != string(r.Body) || len(one.Transfers) != 1 {
				t.Fatalf("%+v %v", one, err)
			}
		}
	}
	tl, err := in.Timeline(ctx, 24)
	if err != nil {
		t.Fatal(err)
	}
	requests, retries := int64(0), int64(0)
	for i := range tl.Requests {
		requests += tl.Requests[i]
		retries += tl.Retries[i]
	}
	if requests != 120 || retries != 20 || tl.Untimed != 0 {
		t.Fatalf("%+v", tl)
	}
}
