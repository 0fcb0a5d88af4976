package findings_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"idem/analysis"
	"idem/analysis/findings"
)

// mixed is a day of several clients and payees: one certain, one probable, one
// disputed finding.
func mixed() *scene {
	s := &scene{}
	s.pay(sent{at: "09:00:00", key: "k", client: "c1"}, "a", "b", 5, "")
	s.pay(sent{at: "09:00:05", key: "k", client: "c1"}, "a", "b", 5, "")
	s.pay(sent{at: "10:00:00", key: "8a1f", client: "c2", endpoint: "/pay", status: 504, ms: 31000}, "a", "c", 7, order)
	s.pay(sent{at: "10:00:32", key: "b77c", client: "c2", endpoint: "/pay"}, "a", "c", 7, order)
	s.pay(sent{at: "11:00:00", key: "x", client: "c1"}, "d", "b", 1, "")
	s.pay(sent{at: "11:00:09", key: "x", client: "c1"}, "d", "b", 3, "")
	return s
}

func TestFilter(t *testing.T) {
	in := mixed().open(t)
	at := func(text string) time.Time { return moment(text) }
	for name, c := range map[string]struct {
		filter analysis.Filter
		want   []string // classes
	}{
		"everything": {analysis.Filter{}, []string{"SAME_KEY_EXECUTED_TWICE", "SAME_KEY_DIFFERENT_BODY", "KEY_REGENERATED_ON_RETRY"}},
		"client":     {analysis.Filter{Client: "c2"}, []string{"KEY_REGENERATED_ON_RETRY"}},
		"endpoint":   {analysis.Filter{Endpoint: "/pay"}, []string{"KEY_REGENERATED_ON_RETRY"}},
		"payer":      {analysis.Filter{Account: "d"}, []string{"SAME_KEY_DIFFERENT_BODY"}},
		"payee":      {analysis.Filter{Account: "b"}, []string{"SAME_KEY_EXECUTED_TWICE", "SAME_KEY_DIFFERENT_BODY"}},
		"from":       {analysis.Filter{From: at("10:30:00")}, []string{"SAME_KEY_DIFFERENT_BODY"}},
		"to":         {analysis.Filter{To: at("09:30:00")}, []string{"SAME_KEY_EXECUTED_TWICE"}},
		// The end is open, and a retry brings the first send before the span with it.
		"the retry alone": {analysis.Filter{From: at("09:00:05"), To: at("09:00:06")}, []string{"SAME_KEY_EXECUTED_TWICE"}},
		"the end is open": {analysis.Filter{From: at("09:30:00"), To: at("10:00:00")}, nil},
		"together":        {analysis.Filter{Client: "c1", Account: "d", From: at("11:00:00")}, []string{"SAME_KEY_DIFFERENT_BODY"}},
		"nobody":          {analysis.Filter{Client: "c1", Account: "c"}, nil},
	} {
		r := find(t, in, c.filter)
		var got []string
		for i := range r.Findings {
			got = append(got, string(r.Findings[i].Class))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s gives %v, want %v", name, got, c.want)
		}
	}
}

func TestSums(t *testing.T) {
	in := mixed().open(t)
	r := find(t, in, analysis.Filter{})
	for name, got := range map[string]string{
		"certain":   fmt.Sprint(r.Totals.Certain.Transfers, r.Totals.Certain.Money.Of("USD")),
		"probable":  fmt.Sprint(r.Totals.Probable.Transfers, r.Totals.Probable.Money.Of("USD")),
		"suspected": fmt.Sprint(r.Totals.Suspected.Transfers, r.Totals.Suspected.Money.Of("USD")),
		"disputed":  fmt.Sprint(r.Totals.Disputed.Transfers, r.Totals.Disputed.Money.Of("USD")),
	} {
		if want := map[string]string{"certain": "1 5", "probable": "1 7", "suspected": "0 0", "disputed": "2 4"}[name]; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	var got []string
	for _, list := range [][]findings.Sum{r.ByClient, r.ByPayee} {
		for _, s := range list {
			got = append(got, fmt.Sprint(s.Name, " ", s.Findings, " ", s.Certain.Transfers, s.Probable.Transfers, s.Disputed.Transfers))
		}
	}
	if want := []string{"c1 2 1 0 2", "c2 1 0 1 0", "b 2 1 0 2", "c 1 0 1 0"}; !slices.Equal(got, want) {
		t.Errorf("sums are %q, want %q", got, want)
	}
	// Narrowed, the sums are those of what is left.
	if r := find(t, in, analysis.Filter{Client: "c2"}); r.Totals.Findings != 1 || len(r.ByClient) != 1 || r.Totals.Certain.Transfers != 0 {
		t.Errorf("narrowed to c2 the totals are %+v", r.Totals)
	}
}

// Hashes have a seed of their own in each run; nothing that is told may show it,
// even where more is found than listed.
func TestTheSameDayGivesTheSameFindings(t *testing.T) {
	s := mixed()
	for i := range 1500 {
		at := moment("12:00:00").Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05")
		for _, client := range []string{"east", "west"} {
			s.pay(sent{at: at, key: fmt.Sprint("n", i), client: client}, "p"+client, fmt.Sprint("q", i%700), 11, "")
		}
	}
	in := s.open(t)
	first, second := find(t, in, analysis.Filter{}), find(t, in, analysis.Filter{})
	if n := first.Unlisted[findings.KeyCollisionAcrossClients]; n != 500 {
		t.Errorf("%d collisions are not listed, want 500", n)
	}
	if a, b := written(t, first), written(t, second); a != b {
		t.Errorf("two runs differ:\n%.2000s", cmp.Diff(a, b))
	}
}

func written(t testing.TB, r *findings.Result) string {
	t.Helper()
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNoPlaceForRows(t *testing.T) {
	in := mixed().open(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if _, err := findings.FindAside(t.Context(), in); err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
		t.Errorf("got %v", err)
	}
}

func TestTimeout(t *testing.T) {
	send := func(at string, ms time.Duration, status int32) findings.Send {
		return findings.Send{At: moment(at), Duration: ms * time.Millisecond, Status: status, Known: true}
	}
	for name, c := range map[string]struct {
		sends []findings.Send
		want  time.Duration
	}{
		"after 30 s":              {[]findings.Send{send("09:00:00", 31200, 504), send("09:00:32.4", 33050, 504), send("09:01:07.1", 900, 201)}, 30 * time.Second},
		"while it ran":            {[]findings.Send{send("09:00:00", 45000, 200), send("09:00:30.02", 44000, 200)}, 30 * time.Second},
		"answered before":         {[]findings.Send{send("09:00:00", 9000, 504), send("09:00:10", 400, 201)}, 0},
		"gaps that differ":        {[]findings.Send{send("09:00:00", 90000, 504), send("09:00:32", 90000, 504), send("09:01:50", 900, 201)}, 0},
		"nothing known of answer": {[]findings.Send{send("09:00:00", -1, 0), send("09:00:30", -1, 0)}, 0},
		"one send":                {[]findings.Send{send("09:00:00", 9000, 504)}, 0},
	} {
		f := findings.Finding{Sends: c.sends}
		for i := range f.Sends {
			if c.sends[i].Duration < 0 {
				f.Sends[i].Duration = -1
			}
		}
		if got := f.Timeout(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
