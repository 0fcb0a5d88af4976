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

func TestProgressRisesToItsTotal(t *testing.T) {
	in := open(t, lab(t))
	run(t, in.Path(), "INSERT INTO req_log(seq, received_at, client_id, endpoint, body) VALUES (500000, '', '', '', '')")
	in = open(t, in.Path())
	last, all := int64(0), int64(0)
	_, err := in.Duplicates(context.Background(), func(done, total int64) {
		if done < last || done > total || all != 0 && total != all {
			t.Fatalf("%d of %d after %d", done, total, last)
		}
		last, all = done, total
	})
	if err != nil || last != all || all < 241 {
		t.Fatal(err, last, all)
	}
	size := int64(0)
	e, err := in.Evidence(context.Background(), func(done, total int64) { size = done })
	if err != nil || size != e.Size || len(e.SHA256) != 64 {
		t.Fatalf("%+v %d %v", e, size, err)
	}
}

// TestOneRequestMovesMoneyTwice is a proxy's retry: the log has one row, the
// ledger two, and both tables have to be read again for its texts.
func TestOneRequestMovesMoneyTwice(t *testing.T) {
	path := lab(t)
	run(t, path, "DELETE FROM req_log WHERE seq NOT IN (SELECT min(seq) FROM req_log GROUP BY idem_key); DELETE FROM transfer_v1 WHERE seq NOT IN (SELECT seq FROM req_log);"+
		"INSERT INTO transfer_v1 SELECT 'X' || transfer_id, seq, idem_key, src, dst, amount, currency, '2026-03-10T23:00:00+01:00' FROM transfer_v1 WHERE seq < 4")
	d, err := open(t, path).Duplicates(context.Background(), nil)
	if err != nil || d.DuplicateKeys != 3 || d.ExtraTransfers != 3 || len(d.Groups) != 3 {
		t.Fatalf("%+v %v", d, err)
	}
	for _, g := range d.Groups {
		if g.Requests != 1 || g.Key == "" || g.Extra[0] != "X"+g.Kept {
			t.Fatalf("%+v", g)
		}
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
