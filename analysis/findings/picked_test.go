package findings_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"idem/analysis"
	"idem/analysis/findings"
)

// TestPickedIsAll: what comes into memory is all that a rule looks at. A transfer of
// its own that no request caused has all rows come there, and no finding differs.
func TestPickedIsAll(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		s := randomScene(rt)
		for i := range s.transfers {
			m := &s.transfers[i]
			m.seq = min(max(m.seq, 1), len(s.requests))
			m.amount *= rapid.SampledFrom([]int64{1, 1, 1, 3, 10, 100}).Draw(rt, "factor")
			m.dst = rapid.SampledFrom([]string{m.dst, m.dst, "d", "e", "f"}).Draw(rt, "dst")
		}
		find := func(how func(context.Context, *analysis.Incident) (*findings.Result, error)) string {
			n++
			in := s.openAt(rt, filepath.Join(dir, fmt.Sprint(n, ".db")))
			defer in.Close()
			r, err := how(t.Context(), in)
			if err != nil {
				rt.Fatal(err)
			}
			text, err := json.MarshalIndent(r, "", " ")
			if err != nil {
				rt.Fatal(err)
			}
			return string(text)
		}
		picked := find(findings.FindAside)
		s.transfers = append(s.transfers, moved{at: moment("09:00:00"), src: "x", dst: "y", amount: 7, currency: "JPY", id: "alone"})
		if all := find(findings.FindAside); picked != all {
			rt.Errorf("of what was picked: %s\nof all rows: %s", picked, all)
		}
	})
}

// TestAnErrorAndTheKeyThatPaid: what ties the two is the body alone.
func TestAnErrorAndTheKeyThatPaid(t *testing.T) {
	s := &scene{}
	for i, at := range []string{"09:00:00", "09:00:05", "09:01:00"} {
		r := sent{at: at, key: []string{"k1", "k1", "k2"}[i], status: []int{500, 500, 201}[i], body: asks("a", "b", 5, "")}
		if r = s.send(r); r.key == "k2" {
			s.move(r, "a", "b", 5)
		}
	}
	in := s.open(t)
	r, err := findings.FindAside(t.Context(), in)
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Class != findings.ReplayedErrorThenNewKey || len(r.Findings[0].Sends) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}
