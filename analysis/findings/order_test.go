package findings_test

import (
	"path/filepath"
	"testing"

	"idem/analysis"
	"idem/analysis/findings"
)

// TestBookedInAnotherOrder: of two payments of one order the later one was booked
// first; each is told with its own request.
func TestBookedInAnotherOrder(t *testing.T) {
	s := &scene{}
	s.pay(sent{at: "09:00:00", key: "k1"}, "a", "b", 5, `"ref":"o-2"`)
	s.pay(sent{at: "09:00:00", key: "k2"}, "a", "b", 500, `"ref":"o-2"`)
	s.transfers[1].at = moment("08:59:00")
	path := filepath.Join(t.TempDir(), "i.db")
	if err := s.write(path); err != nil {
		t.Fatal(err)
	}
	in, err := analysis.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := findings.Find(t.Context(), in, nil)
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Class != findings.AmountOffByUnit || len(r.Findings[0].Disputed) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	f := &r.Findings[0]
	for _, x := range f.Disputed {
		if asked := map[int64]int64{1: 5, 2: 500}[f.Sends[x.Send].Seq]; asked != x.Amount {
			t.Errorf("transfer %s of %d is told with the request for %d", x.ID, x.Amount, asked)
		}
	}
	f.Chains(10)
}
