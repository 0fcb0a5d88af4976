package analysis

import (
	"context"
	"path/filepath"
	"testing"

	"idem/fixtures"
)

func lab(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "idem.db")
	if err := fixtures.Generate(context.Background(), path, fixtures.Lab()); err != nil {
		t.Fatal(err)
	}
	return path
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
