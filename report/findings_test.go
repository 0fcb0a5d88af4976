package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/ingest"
)

// labelled are the findings in the labelled incidents, all in one database.
func labelled(t *testing.T, filter analysis.Filter) (*analysis.Incident, *findings.Result) {
	t.Helper()
	o := ingest.Options{Out: filepath.Join(t.TempDir(), "labelled.db"), Version: "test",
		Requests: []string{"../fixtures/incidents/requests.csv"}, Transfers: []string{"../fixtures/incidents/transfers.csv"}}
	if _, err := ingest.Import(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	in, err := analysis.Open(t.Context(), o.Out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	in, err = in.Narrow(t.Context(), filter, analysis.TempDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := findings.Find(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return in, r
}

func TestGoldenFindings(t *testing.T) {
	_, r := labelled(t, analysis.Filter{})
	for name, why := range map[string]bool{"findings.summary": false, "findings.why": true} {
		var b bytes.Buffer
		if err := FindingsSummary(&b, r, why); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	for i := range refundLists {
		var b bytes.Buffer
		if err := refundLists[i].csv(&b, r); err != nil {
			t.Fatal(err)
		}
		golden(t, refundLists[i].name+".csv", b.Bytes())
	}
	_, r = labelled(t, analysis.Filter{Client: "merch-2"})
	var b bytes.Buffer
	if err := FindingsSummary(&b, r, true); err != nil {
		t.Fatal(err)
	}
	golden(t, "findings.narrowed", b.Bytes())
}

// In every language each reason and class has its words.
func TestWhyInEveryLanguage(t *testing.T) {
	_, r := labelled(t, analysis.Filter{})
	for _, lang := range Languages() {
		w, err := wordsOf(lang)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for i := range r.Findings {
			e, err := why(&r.Findings[i], w.text)
			if err != nil {
				t.Errorf("%s: %s: %v", lang, r.Findings[i].Class, err)
			}
			all = append(all, e.Lines(" ← ")...)
		}
		if text := strings.Join(all, "\n"); strings.Contains(text, "{") || !strings.Contains(text, "`b77c`") {
			t.Errorf("%s has unfilled places or lacks data:\n%s", lang, text)
		}
	}
}

// The members of a finding, and the six old ones of the same part of the day.
func TestFindingsInJSON(t *testing.T) {
	in, r := labelled(t, analysis.Filter{Client: "merch-24"})
	dup, err := in.Duplicates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := dupReportJSON(dup, r, fixedEvidence, "v", "")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Requests  int      `json:"requests"`
		Extra     int      `json:"extra_transfers"`
		Keys      []string `json:"keys"`
		Filter    map[string]any
		Totals    map[string]any   `json:"finding_totals"`
		Findings  []map[string]any `json:"findings"`
		Unlisted  map[string]int
		ByPayee   []map[string]any `json:"findings_by_payee"`
		Duplicate []any            `json:"groups"`
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	if got.Requests != 2 || got.Extra != 1 || len(got.Keys) != 1 || len(got.Duplicate) != 1 || got.Filter["hidden_requests"] != 26. {
		t.Errorf("narrowed to one client keys say: %+v", got)
	}
	if len(got.Findings) != 1 || got.Filter["client_id"] != "merch-24" || len(got.ByPayee) != 1 {
		t.Fatalf("narrowed to one client there are %v", got)
	}
	f := got.Findings[0]
	for name, want := range map[string]string{
		"class": "SAME_KEY_EXECUTED_TWICE", "confidence": "certain", "kept": "c24t1", "extra": "[c24t2]", "disputed": "[]",
		"requests": "[26 27]", "client_id": "merch-24", "endpoint": "/v1/payments", "by_currency": "map[USD:3300]",
		"keys": `["8e03978e-40d5-43e8-bc93-6894a57f9324" 8e03978e-40d5-43e8-bc93-6894a57f9324]`,
	} {
		if text := fmt.Sprint(f[name]); text != want {
			t.Errorf("%s is %s, want %s", name, text, want)
		}
	}
	if len(f["evidence"].([]any)) != 4 || len(f["why"].([]any)) != 2 {
		t.Errorf("evidence %v, why %v", f["evidence"], f["why"])
	}
}

// Each extra or disputed transfer stands in one list, under a key of its own
// that depends on nothing but the transfer.
func TestRefundLists(t *testing.T) {
	in, r := labelled(t, analysis.Filter{})
	dir := t.TempDir()
	paths, err := WriteRefunds(t.Context(), dir, in, r, fixedEvidence, "v")
	if err != nil || len(paths) != 6 {
		t.Fatalf("%v, %v", paths, err)
	}
	keys, listed := map[string]string{}, map[string]string{}
	for _, path := range paths {
		if filepath.Ext(path) != ".csv" {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			if other, ok := keys[row[0]]; ok {
				t.Errorf("%s and %s have one refund key", other, row[1])
			}
			keys[row[0]], listed[row[1]] = row[1], strings.TrimSuffix(filepath.Base(path), ".csv")
			if certain := row[9] == "certain" && len(row[2]) > 0; certain != (filepath.Base(path) == "refunds.csv") {
				t.Errorf("%s stands in %s", row, path)
			}
		}
	}
	for id, list := range map[string]string{"c01t2": "refunds", "c02t3": "refunds_to_check", "c04t2": "refunds_to_check", "c10t2": "refunds_disputed"} {
		if listed[id] != list {
			t.Errorf("%s stands in %q, want %q", id, listed[id], list)
		}
	}
	if len(listed) != 11 || listed["c20t2"] != "" || listed["c01t1"] != "" {
		t.Errorf("listed are %v", listed)
	}
	// Found otherwise, the same transfer has the same key.
	_, narrowed := labelled(t, analysis.Filter{Client: "merch-1"})
	if got := RefundKey(&narrowed.Findings[0].Extra[0]); keys[got] != "c01t2" {
		t.Errorf("narrowed, the key is %s", got)
	}
}

func TestRefundsSpareTheInput(t *testing.T) {
	in, r := labelled(t, analysis.Filter{})
	dir := filepath.Dir(in.Path())
	if err := os.Symlink(in.Path(), filepath.Join(dir, "refunds.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteRefunds(t.Context(), dir, in, r, fixedEvidence, "v"); err == nil {
		t.Error("a list took the place of the input")
	}
	if _, err := os.Stat(filepath.Join(dir, "refunds.json")); err == nil {
		t.Error("part of the lists was written")
	}
}

func TestNeutral(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "abc": "abc", "a=b": "a=b", "T1": "T1", "=1+1": "'=1+1", "+49": "'+49", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)",
		"\tx": "'\tx", "\rx": "'\rx", " =1": "' =1", "\n=1": "'\n=1", "＝1": "'＝1", "|cmd": "'|cmd", "'=1": "'=1", " ": " ",
	} {
		if got := Neutral(cell); got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got := Neutral(rapid.OneOf(hostileText(), rapid.String()).Draw(t, "cell"))
		if strings.HasPrefix(got, "=") || slices.Contains([]string{"+", "-", "@", "\t", "\r"}, fmt.Sprintf("%.1s", got)) {
			t.Fatalf("%q may run", got)
		}
	})
}

// A chain is links, each with the rows that it rests on: the same for the screen,
// the files and the command line.
func TestWhyIsAListOfLinks(t *testing.T) {
	_, r := labelled(t, analysis.Filter{Client: "merch-2"})
	e, err := Why(&r.Findings[0])
	if err != nil || len(e.Chains) != 2 {
		t.Fatalf("%+v, %v", e, err)
	}
	var got []string
	for _, l := range e.Chains[0] {
		got = append(got, fmt.Sprint(l.Text, " ", l.Rows))
	}
	want := []string{
		"transfer c02t2, 120.00 USD, repeats c02t1 [{transfer_v1 c02t2} {transfer_v1 c02t1}]",
		"request 4 (requests.csv line 5) [{req_log 4}]",
		"a new key b77c although the body is that of request 3 (requests.csv line 4) [{req_log 3}]",
		"32.4 s after request 3 (requests.csv line 4), whose caller was told 504 [{req_log 3}]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the chain is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if lines := e.Lines(" <- "); len(lines) != len(e.Chains)+len(e.Notes) || strings.Count(lines[0], " <- ") != len(want)-1 {
		t.Errorf("lines are %q", lines)
	}
}
