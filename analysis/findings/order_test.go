package findings_test

import (
	"math"
	"slices"
	"testing"

	"idem/analysis/findings"
)

// TestBookedInAnotherOrder: of two payments of one order the later one was booked
// first; each is told with its own request.
func TestBookedInAnotherOrder(t *testing.T) {
	s := &scene{}
	s.pay(sent{at: "09:00:00", key: "k1"}, "a", "b", 5, `"ref":"o-2"`)
	s.pay(sent{at: "09:00:00", key: "k2"}, "a", "b", 500, `"ref":"o-2"`)
	s.transfers[1].at = moment("08:59:00")
	in := s.open(t)
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

// TestSeqsFarApart: the distance of two seqs may be more than an int64 holds, also
// that of a request which the log has lost.
func TestSeqsFarApart(t *testing.T) {
	s := &scene{}
	for i, seq := range []int{math.MinInt64, 1, math.MaxInt64} {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.requests[i].seq, s.transfers[i].seq = seq, seq
	}
	s.requests = slices.Delete(s.requests, 1, 2)
	in := s.open(t)
	for name, find := range map[string]func() (*findings.Result, error){
		"in memory": func() (*findings.Result, error) { return findings.Find(t.Context(), in, nil) },
		"aside":     func() (*findings.Result, error) { return findings.FindAside(t.Context(), in) },
	} {
		if r, err := find(); err != nil || len(r.Findings) != 1 || len(r.Findings[0].Extra) != 2 {
			t.Errorf("%s: %+v, %v; want one finding of two extra transfers", name, r, err)
		}
	}
}
