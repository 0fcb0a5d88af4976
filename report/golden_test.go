package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/replay"
	"idem/engine"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with testdata/NAME.golden.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs, -update accepts it (-want +got):\n%s", path, diff)
	}
}

// money is a sum in pairs of amount and currency.
func money(t *testing.T, pairs ...any) analysis.Money {
	t.Helper()
	var m analysis.Money
	for i := 0; i < len(pairs); i += 2 {
		if err := m.Add(pairs[i+1].(string), int64(pairs[i].(int))); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

var fixedEvidence = analysis.Evidence{
	File: "secret-folder.db", SHA256: "3f9c0000000000000000000000000000000000000000000000000000000000a1", Size: 61440,
}

// oneCurrency is a small day in KRW: one key paid three times.
func oneCurrency(t *testing.T) *Report {
	g := analysis.Group{
		Scope: analysis.Scope{ClientID: "shop-1", Endpoint: "/v1/transfers", Key: "k-1"}, Requests: 3,
		Kept: "T1", Extra: []string{"T2", "T3"}, Paid: money(t, 2_000, "KRW"), Transfers: 3,
		FirstAt: noon, LastAt: noon.Add(4 * time.Second), Gap: 1200 * time.Millisecond,
	}
	d := &analysis.Duplicates{
		Requests: 4, UniqueKeys: 2, DuplicateKeys: 1, ExtraTransfers: 2, DoublePaid: money(t, 2_000, "KRW"),
		Groups: []analysis.Group{g}, Transfers: 4, V1Total: money(t, 1_234_567, "KRW"),
		First: noon, Last: noon.Add(time.Minute), LongestGap: 4 * time.Second,
	}
	res := replay.Result{Policy: engine.DefaultPolicy(), Total: 4, LongestGap: d.LongestGap, First: d.First, Last: d.Last}
	res.Requests, res.Created, res.Replayed, res.InFlight, res.Transfers = 4, 2, 1, 1, 2
	res.V1Total, res.Transferred, res.Stopped = d.V1Total, money(t, 1_232_567, "KRW"), money(t, 2_000, "KRW")
	return &Report{
		day: Day{Incident: new(analysis.Incident), Duplicates: d, Findings: threefold(t), Result: res, Evidence: fixedEvidence, Version: "1.2.3"},
		facts: facts{
			Groups: []group{{Group: &d.Groups[0], Src: "acc-1", Dst: "acc-2", Retries: []retry{
				{N: 1, Class: replay.Created, Status: 201}, {N: 2, Class: replay.InFlight, Status: 409}, {N: 4, Class: replay.Replayed, Status: 201},
			}}},
			Gaps:     gaps{g.Gap, g.Gap, g.Gap},
			Accounts: []touched{{"acc-1", "KRW", 2_000, 0, 2}, {"acc-2", "KRW", 0, 2_000, 2}}, AllTouched: 2,
		},
	}
}

// threefold are the findings of that day: the key was wrapped in quotes once, and
// the caller gave up after two seconds.
func threefold(t *testing.T) *findings.Result {
	send := func(seq int64, after time.Duration, key string) findings.Send {
		return findings.Send{Seq: seq, Known: true, Status: 504, At: noon.Add(after), Duration: 2100 * time.Millisecond,
			ClientID: "shop-1", Endpoint: "/v1/transfers", Key: key, Origin: &findings.Origin{File: "gw.log", Line: seq + 1, Note: "slow"}}
	}
	transfer := func(id string, send int, of string) findings.Transfer {
		return findings.Transfer{ID: id, Send: send, Src: "acc-1", Dst: "acc-2", Amount: 1_000, Currency: "KRW", At: noon, Of: of}
	}
	kept := transfer("T1", 0, "")
	f := findings.Finding{
		Class: findings.ExecutedButNotAnswered, Confidence: findings.Certain, Kept: &kept,
		Extra: []findings.Transfer{transfer("T2", 1, "T1"), transfer("T3", 2, "T1")}, Paid: money(t, 2_000, "KRW"),
		Sends: []findings.Send{send(1, 0, "k-1"), send(2, 2050*time.Millisecond, `"k-1"`), send(3, 4200*time.Millisecond, "k-2")},
	}
	f.Extra[1].Join, f.Extra[1].Tie = "circumstances", findings.Suspected
	count := findings.Count{Transfers: 2, Money: f.Paid}
	return &findings.Result{Findings: []findings.Finding{f}, Totals: findings.Totals{Findings: 1, Certain: count}}
}

// twoCurrencies is the small day with USD, KWD and an unknown currency beside
// KRW, a retention that is too short and every term of the reconciliation.
func twoCurrencies(t *testing.T) *Report {
	r := oneCurrency(t)
	d, res := r.day.Duplicates, &r.day.Result
	add := func(m *analysis.Money, pairs ...any) {
		if err := m.AddAll(money(t, pairs...)); err != nil {
			t.Fatal(err)
		}
	}
	add(&d.V1Total, 4_999, "USD", 1_500, "KWD", 7, "zz|")
	d.UnmatchedCount, d.UnmatchedTotal = 1, money(t, 7, "zz|")
	d.Unmatched = []analysis.TransferV1{{ID: "T9", Src: "x", Dst: "y", Amount: 7, Currency: "zz|", CreatedAt: noon}}
	d.KeylessRequests, d.KeylessTransfers, d.BadTransfers = 1, 1, 1
	d.Bad = []analysis.BadRow{{Table: "transfer_v1", Row: "T8", Column: "amount", Value: "many", Reason: "no integer"}}
	d.LongestGap = 100 * time.Hour
	res.LongestGap = d.LongestGap
	res.V1Total = d.V1Total
	res.Mismatch, res.InFlight, res.ClockBack, res.ExpiredReruns = 1, 0, 2, 1
	res.Transferred = money(t, 1_232_567, "KRW", 4_000, "USD")
	res.Unmatched = money(t, 7, "zz|")
	res.UnusableV1 = money(t, 1_500, "KWD")
	res.RefusedV1 = money(t, 1_999, "USD")
	res.OnlyReplay = money(t, 1_000, "USD")
	r.facts.DisputedPaid = money(t, 2_000, "KRW")
	r.facts.Mismatches = []retry{{N: 2, Seq: 2, Key: "k-1", ClientID: "shop-1", At: noon, Class: replay.Mismatch, Status: 422, V1: money(t, 1_000, "KRW")}}
	r.facts.LookAlikes = lookAlikes{Count: 1, Paid: money(t, 4_000, "USD"), Examples: []lookAlike{{
		FirstN: 1, N: 3, FirstKey: "k-1", Key: "k-2", Gap: 90 * time.Minute, Amount: amount{4_000, "USD"}, Src: "x", Dst: "y",
	}}}
	return r
}

// quiet is a day without duplicates.
func quiet(t *testing.T) *Report {
	d := &analysis.Duplicates{Requests: 1, UniqueKeys: 1, Transfers: 1, V1Total: money(t, 5, "JPY"), First: noon, Last: noon}
	res := replay.Result{Policy: engine.DefaultPolicy(), Total: 1, First: noon, Last: noon}
	res.Policy.Retention = engine.Forever
	res.Policy.OnMismatch = engine.MismatchReplays
	res.Policy.Stored = engine.StoreSuccess
	res.Requests, res.Created, res.Transfers = 1, 1, 1
	res.V1Total, res.Transferred = d.V1Total, d.V1Total
	return &Report{day: Day{Incident: new(analysis.Incident), Duplicates: d, Result: res, Evidence: fixedEvidence, Version: "1.2.3"}}
}

// empty is a day without requests.
func empty(*testing.T) *Report {
	res := replay.Result{Policy: engine.HTTPPolicy()}
	return &Report{day: Day{Incident: new(analysis.Incident), Duplicates: &analysis.Duplicates{}, Result: res, Evidence: fixedEvidence, Version: "1.2.3"}}
}

func TestGolden(t *testing.T) {
	for name, make := range map[string]func(*testing.T) *Report{
		"one": oneCurrency, "two": twoCurrencies, "quiet": quiet, "empty": empty,
	} {
		r := make(t)
		for _, f := range Formats(Languages()...) {
			if f.File == "day.db" || f.File == "policy.json" {
				continue
			}
			t.Run(name+"."+f.File, func(t *testing.T) {
				golden(t, name+"."+f.File, rendered(t, f, r))
			})
		}
	}
}

// The whole way from a database to the files; its bytes stand in golden files,
// so that another machine, another time or another run shows.
func TestGoldenHostileDay(t *testing.T) {
	r := prepared(t, hostileDay(t))
	// The bytes of an SQLite file depend on the version that wrote it.
	r.day.Evidence = fixedEvidence
	for _, f := range Formats(Languages()...) {
		if f.File != "day.db" {
			golden(t, "hostile."+f.File, rendered(t, f, r))
		}
	}
}

func TestDeterministic(t *testing.T) {
	first, second := prepared(t, labDay(t)), prepared(t, labDay(t))
	for _, f := range Formats(Languages()...)[1:] {
		if a, b := rendered(t, f, first), rendered(t, f, second); !bytes.Equal(a, b) {
			t.Errorf("%s: two runs differ:\n%s", f.File, cmp.Diff(string(a), string(b)))
		}
	}
}

func TestFormatsAreDistinct(t *testing.T) {
	var got []string
	for _, f := range Formats(English, Korean, English, "xx") {
		got = append(got, f.File)
	}
	want := []string{"day.db", "dup_report.json", "result.json", "policy.json", "idem_report.md", "idem_report.en.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoFileNameInFiles(t *testing.T) {
	day := labDay(t)
	r := prepared(t, day)
	for _, f := range Formats(Languages()...)[1:] {
		if bytes.Contains(rendered(t, f, r), []byte(filepath.Base(day.Incident.Path()))) {
			t.Errorf("%s holds the input's name", f.File)
		}
	}
}

func rendered(t *testing.T, f Format, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.write(t.Context(), &b, r); err != nil {
		t.Fatalf("%s: %v", f.File, err)
	}
	return b.Bytes()
}
