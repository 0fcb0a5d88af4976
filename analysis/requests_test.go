package analysis

import (
	"context"
	"fmt"
	"testing"

	"idem/fixtures/dayfile"
)

func lab(t testing.TB) string {
	t.Helper()
	return dayfile.Lab(t)
}

func open(t testing.TB, path string, opts ...Option) *Incident {
	t.Helper()
	in, err := Open(context.Background(), path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

func TestRequestsOfTheLab(t *testing.T) {
	ctx := context.Background()
	in := open(t, lab(t))
	n := int64(0)
	for r, err := range in.Requests(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if r.N != n || r.Seq != n || r.Unusable != "" || len(r.Transfers) != 1 || r.ReceivedAt.IsZero() {
			t.Fatalf("%+v", r)
		}
	}
	if n != 120 {
		t.Fatal(n)
	}
	for r, err := range in.Requests(ctx, 100) {
		if err != nil || r.N != 100 || r.Seq != 100 {
			t.Fatal(r, err)
		}
		break
	}
	accounts, err := in.Accounts(ctx)
	if err != nil || len(accounts) != 8 {
		t.Fatal(accounts, err)
	}
	if count, err := in.RequestCount(ctx); count != 120 || err != nil {
		t.Fatal(count, err)
	}
}

// TestOrderAcrossParts has rows so far apart by row id that a scan reads them
// in parts, each of which is in seq order while the whole is not.
func TestOrderAcrossParts(t *testing.T) {
	for _, apart := range []bool{true, false} {
		ids := map[bool][2]int{true: {9, 3}, false: {3, 9}}[apart]
		in, err := made(t, plainAccount+plainTransfer+fmt.Sprintf(`CREATE TABLE req_log(seq, received_at, client_id, endpoint, idem_key, body);
			INSERT INTO req_log(rowid, seq, received_at, client_id, endpoint, idem_key, body) VALUES
				(1, %[1]d, '2026-03-10T09:00:00Z', 'c', '/', 'k', '{}'), (1000000, %[2]d, '2026-03-10T09:00:00Z', 'c', '/', 'k', '{}');
			INSERT INTO transfer_v1(rowid, transfer_id, seq, idem_key, src, dst, amount, currency, created_at) VALUES
				(-7, 'A', %[1]d, 'k', 'a', 'b', 1, 'KRW', '2026-03-10T09:00:00Z'), (900000, 'B', %[2]d, 'k', 'a', 'b', 1, 'KRW', '2026-03-10T09:00:00Z')`, ids[0], ids[1]))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := in.clustered(context.Background(), requestTable, rSeq); err != nil || is == apart {
			t.Fatalf("clustered: %v %v", is, err)
		}
		want := int64(3)
		for r, err := range in.Requests(context.Background(), 1) {
			if err != nil || r.Seq != want || len(r.Transfers) != 1 {
				t.Fatalf("%+v %v", r, err)
			}
			want = 9
		}
		if one, err := in.Request(context.Background(), 9); err != nil || one.N != 2 || len(one.Transfers) != 1 {
			t.Fatalf("%+v %v", one, err)
		}
	}
}
