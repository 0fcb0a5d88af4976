package ingest

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
)

// imported makes an incident of texts in files of their own.
func imported(t *testing.T, o Options, requests, transfers []string) (*Result, string) {
	t.Helper()
	r, path, err := tryImport(t, o, requests, transfers)
	if err != nil {
		t.Fatal(err)
	}
	return r, path
}

func tryImport(t *testing.T, o Options, requests, transfers []string) (*Result, string, error) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i, text := range requests {
		o.Requests = append(o.Requests, write("r"+string(rune('0'+i)), text))
	}
	for i, text := range transfers {
		o.Transfers = append(o.Transfers, write("t"+string(rune('0'+i)), text))
	}
	o.Out = filepath.Join(dir, "out.db")
	r, err := Import(t.Context(), o)
	if err == nil {
		for _, s := range r.Sources {
			if s.Read != s.Accepted+s.Rejected {
				t.Errorf("%s: %d read, %d accepted + %d rejected", s.Path, s.Read, s.Accepted, s.Rejected)
			}
		}
	}
	return r, o.Out, err
}

// labelled gives the rows of the labelled incidents' files, by case, each with
// the header.
func labelled(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/csv/" + name)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	byCase := map[string]string{"all": string(text)}
	for _, row := range rows[1:] {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		if byCase[row[0]] == "" {
			w.Write(rows[0])
		}
		w.Write(row)
		w.Flush()
		byCase[row[0]] += b.String()
	}
	return byCase
}

// extra are the extra transfers that keys prove, by labelled incident.
var extra = map[string][]string{
	"c01": {"c01t2"}, "c06": {"c06t2"}, "c09": {"c09t2"}, "c10": {"c10t2"}, "c15": {"c15t2"}, "c19": {"c19t2"}, "c24": {"c24t2"},
}

// TestLabelledIncidents imports each labelled incident alone and all together,
// and finds in each what its keys prove.
func TestLabelledIncidents(t *testing.T) {
	requests, transfers := labelled(t, "requests-labelled.sample"), labelled(t, "transfers-labelled.sample")
	if len(requests) != 14 {
		t.Fatalf("%d incidents", len(requests)-1)
	}
	for name, text := range requests {
		t.Run(name, func(t *testing.T) {
			var ledger []string
			if transfers[name] != "" {
				ledger = []string{transfers[name]}
			}
			r, path := imported(t, Options{}, []string{text}, ledger)
			if r.Unmatched != 0 {
				t.Errorf("%d transfers are unmatched", r.Unmatched)
			}
			in, err := analysis.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			want := extra[name]
			if name == "all" {
				for _, list := range extra {
					want = append(want, list...)
				}
				slices.Sort(want)
			}
			checkExtra(t, in, want)
			checkReplay(t, in)
		})
	}
}

func checkExtra(t *testing.T, in *analysis.Incident, want []string) {
	t.Helper()
	dup, err := in.Duplicates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if dup.BadRequests+dup.BadTransfers+dup.KeyDiffersCount != 0 {
		t.Errorf("bad rows: %+v", dup)
	}
	var got []string
	for _, g := range dup.Groups {
		got = append(got, g.Extra...)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("extra transfers %v, want %v", got, want)
	}
}

// checkReplay: no assumed balance may refuse a payment.
func checkReplay(t *testing.T, in *analysis.Incident) {
	t.Helper()
	p, err := replay.New(context.Background(), in, engine.DefaultPolicy(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = p.RunTo(t.Context(), p.Total(), func(s *replay.Step) bool {
		if s.Reason == engine.RefusedFunds.Reason || s.Reason == engine.RefusedAccount.Reason {
			t.Errorf("request %d is refused: %s", s.Seq, s.Reason)
		}
		return false
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
}
