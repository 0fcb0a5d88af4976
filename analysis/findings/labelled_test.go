package findings_test

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/ingest"
)

const labelledDir = "../../fixtures/incidents"

// labelled is one incident of want.json.
type labelled struct {
	Case    string `json:"case"`
	Title   string `json:"title"`
	Finding string `json:"finding"`
	Groups  []struct {
		Requests   []string `json:"requests"`
		Keep       *string  `json:"keep"`
		Extra      []string `json:"extra"`
		Disputed   []string `json:"disputed"`
		Confidence string   `json:"confidence"`
	} `json:"groups"`
	Excess map[string]int64 `json:"excess_minor"`
}

func wanted(t *testing.T) []labelled {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(labelledDir, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []labelled
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 13 {
		t.Fatalf("%d labelled incidents", len(list))
	}
	return list
}

// imported makes an incident of the rows of one case, "" for all cases.
func imported(t *testing.T, name string) *analysis.Incident {
	t.Helper()
	dir := t.TempDir()
	o := ingest.Options{Out: filepath.Join(dir, "incident.db"), Version: "test"}
	for _, f := range []struct {
		file string
		into *[]string
	}{{"requests.csv", &o.Requests}, {"transfers.csv", &o.Transfers}} {
		if path := rowsOf(t, dir, f.file, name); path != "" {
			*f.into = append(*f.into, path)
		}
	}
	if _, err := ingest.Import(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return opened(t, o.Out)
}

func opened(t testing.TB, path string) *analysis.Incident {
	t.Helper()
	in, err := analysis.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// rowsOf writes the rows of a case to a file of its own; "" where it has none.
func rowsOf(t *testing.T, dir, file, name string) string {
	t.Helper()
	in, err := os.Open(filepath.Join(labelledDir, file))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.DeleteFunc(rows[1:], func(row []string) bool { return name != "" && row[0] != name })
	if len(kept) == 0 {
		return ""
	}
	path := filepath.Join(dir, file)
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := csv.NewWriter(out).WriteAll(append([][]string{rows[0]}, kept...)); err != nil {
		t.Fatal(err)
	}
	return path
}

func find(t testing.TB, in *analysis.Incident, filter analysis.Filter) *findings.Result {
	t.Helper()
	part, err := in.Narrow(t.Context(), filter, analysis.TempDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := findings.Find(t.Context(), part, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Rows that were put into a file must come to the same.
	aside, err := findings.FindAside(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := written(t, r), written(t, aside); a != b {
		t.Errorf("rows put aside make a difference:\n%.2000s", cmp.Diff(a, b))
	}
	return r
}

// told is a finding as far as the labels speak of it.
type told struct {
	Class, Kept, Confidence string
	Extra, Disputed         []string
	Requests                []string
}

func tell(f *findings.Finding) told {
	v := told{Class: string(f.Class), Confidence: f.Confidence.String(), Extra: ids(f.Extra), Disputed: ids(f.Disputed)}
	if f.Kept != nil {
		v.Kept = f.Kept.ID
	}
	for i := range f.Sends {
		v.Requests = append(v.Requests, f.Sends[i].Origin.Name)
	}
	return v
}

func ids(list []findings.Transfer) []string {
	var all []string
	for i := range list {
		all = append(all, list[i].ID)
	}
	return all
}

// surer are the labelled findings that are sure although want.json does not say
// how sure: all but one by a key or by the log itself.
var surer = map[string]string{"c02": "probable"}

// want is what the labels tell about one incident.
func (l labelled) want() []told {
	if len(l.Groups) == 0 {
		return []told{{Class: l.Finding, Confidence: "probable"}}
	}
	var list []told
	for _, g := range l.Groups {
		v := told{Class: l.Finding, Confidence: g.Confidence, Extra: g.Extra, Disputed: g.Disputed, Requests: g.Requests}
		if g.Keep != nil {
			v.Kept = *g.Keep
		}
		if len(v.Extra) == 0 {
			v.Extra = nil
		}
		if v.Confidence == "" {
			v.Confidence = "certain"
			if s, ok := surer[l.Case]; ok {
				v.Confidence = s
			}
		}
		list = append(list, v)
	}
	return list
}

// Each incident by itself: the class, what is kept, extra and disputed, and how
// sure that is.
func TestLabelledIncidentsAlone(t *testing.T) {
	for _, l := range wanted(t) {
		t.Run(l.Case, func(t *testing.T) {
			r := find(t, imported(t, l.Case), analysis.Filter{})
			var got []told
			for i := range r.Findings {
				v := tell(&r.Findings[i])
				if len(l.Groups) == 0 {
					v.Requests = nil // the labels name none of a control
				}
				got = append(got, v)
			}
			if diff := cmp.Diff(l.want(), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", l.Title, diff)
			}
			for _, c := range slices.Sorted(maps.Keys(l.Excess)) {
				sum := r.Totals.Certain.Money.Of(c) + r.Totals.Probable.Money.Of(c) + r.Totals.Suspected.Money.Of(c)
				if sum != l.Excess[c] {
					t.Errorf("excess is %d %s, want %d", sum, c, l.Excess[c])
				}
			}
		})
	}
}

// All incidents in one database give what each gives by itself.
func TestLabelledIncidentsTogether(t *testing.T) {
	r := find(t, imported(t, ""), analysis.Filter{})
	var got, want []told
	for i := range r.Findings {
		v := tell(&r.Findings[i])
		if !r.Findings[i].Accuses() {
			v.Requests = nil
		}
		got = append(got, v)
	}
	for _, l := range wanted(t) {
		want = append(want, l.want()...)
	}
	byClass := func(a, b told) int { return slices.Compare(a.sortKey(), b.sortKey()) }
	slices.SortFunc(got, byClass)
	slices.SortFunc(want, byClass)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func (v told) sortKey() []string { return append([]string{v.Class, v.Kept}, v.Requests...) }
