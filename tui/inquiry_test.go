package tui

import (
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/ingest"
	"idem/analysis/replay"
	"idem/report"
)

func (l *live) Findings(ctx context.Context, progress func(done, total int64)) (*findings.Result, error) {
	return findings.Find(ctx, l.in, progress)
}

func (l *live) Refunds(ctx context.Context, dir string) ([]string, error) {
	found, err := l.Findings(ctx, nil)
	if err != nil {
		return nil, err
	}
	paths, err := report.WriteRefunds(ctx, dir, l.in, found, analysis.Evidence{}, "test")
	names := make([]string, len(paths))
	for i := range paths {
		names[i] = filepath.Base(paths[i])
	}
	return names, err
}

func (l *live) Position(ctx context.Context, seq int64) (int64, error) {
	r, err := l.in.Request(ctx, seq)
	return r.N, err
}

func (l *live) Day() replay.Source { return l.in }

// Findings of a fake have every class, role and confidence, and its text in
// every place that data gets into.
func (f *fake) Findings(ctx context.Context, progress func(done, total int64)) (*findings.Result, error) {
	progress(7, 0)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(f.finding):
	}
	r := &findings.Result{}
	for i, class := range findings.Classes() {
		if int64(i) >= f.total {
			break
		}
		r.Findings = append(r.Findings, f.findingOf(class, findings.Confidence(1+i%3), i))
	}
	var c findings.Count
	c.Transfers = 3
	c.Money.Add(f.text, 1<<60)
	c.Money.Add("KRW", 5)
	r.Totals = findings.Totals{Findings: int64(len(r.Findings)), Certain: c, Probable: c, Suspected: c, Disputed: c}
	for range 3 {
		r.ByClient = append(r.ByClient, findings.Sum{Name: f.text, Totals: r.Totals})
		r.ByPayee = append(r.ByPayee, findings.Sum{Name: f.text, Totals: r.Totals})
	}
	return r, nil
}

func (f *fake) findingOf(class findings.Class, sure findings.Confidence, i int) findings.Finding {
	transfer := findings.Transfer{ID: f.text, Send: i % 2, Src: f.text, Dst: f.text, Amount: 1 << 40, Currency: f.text, Of: f.text, Join: "key"}
	send := findings.Send{Seq: 1 << 40, Known: i%4 != 3, Status: 504, At: time.Unix(int64(i), 0), Duration: time.Second, ClientID: f.text,
		Endpoint: f.text, Key: f.text, BodyKey: f.text, Ref: f.text, Node: f.text, Attempts: 3,
		Origin: &findings.Origin{Name: f.text, File: f.text, Line: 7, Note: f.text}}
	again := send
	again.At = again.At.Add(31 * time.Second)
	out := findings.Finding{Class: class, Confidence: sure, Sends: []findings.Send{send, again}, Kept: &transfer}
	switch i % 3 {
	case 0:
		out.Extra = []findings.Transfer{transfer, transfer}
		out.Paid.Add(f.text, 1<<41)
	case 1:
		out.Disputed = []findings.Transfer{transfer}
	default:
		out.Alike = []findings.Transfer{transfer}
	}
	return out
}

func (f *fake) Refunds(ctx context.Context, dir string) ([]string, error) { return f.Write(ctx, dir) }

func (f *fake) Position(_ context.Context, seq int64) (int64, error) { return min(seq, f.total), nil }

func (f *fake) Day() replay.Source { return fakeDay{f} }

// fakeDay is the log of a fake: payments with its text in them, each second one
// under the key of the one before.
type fakeDay struct{ *fake }

func (d fakeDay) RequestCount(context.Context) (int64, error) { return d.total, nil }

func (d fakeDay) Accounts(context.Context) ([]analysis.Account, error) {
	return []analysis.Account{{ID: "a" + d.text, Balance: 1 << 50}, {ID: "b" + d.text}}, nil
}

func (d fakeDay) Requests(ctx context.Context, from int64) iter.Seq2[analysis.Request, error] {
	return func(yield func(analysis.Request, error) bool) {
		for n := from; n <= d.total && ctx.Err() == nil; n++ {
			time.Sleep(d.reading)
			r := d.request(n)
			r.Unusable, r.Key = "", d.text+"k"+string(rune('a'+n/2%26))
			r.ReceivedAt = time.Unix(n, 0)
			r.Body, _ = json.Marshal(map[string]any{"src": "a" + d.text, "dst": "b" + d.text, "amount": n%3 + 1, "currency": "KRW"})
			if n%7 == 0 {
				r.Body = []byte(d.text)
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// labelledConfig is the workbench on the labelled incidents, all in one.
func labelledConfig(t *testing.T) Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "incident.db")
	o := ingest.Options{Out: path, Version: "test"}
	for _, f := range []struct {
		file string
		into *[]string
	}{{"requests.csv", &o.Requests}, {"transfers.csv", &o.Transfers}} {
		// Relative, because the incident remembers where its rows came from.
		file := filepath.Join("..", "fixtures", "incidents", f.file)
		*f.into = append(*f.into, file)
	}
	if _, err := ingest.Import(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return fileConfig(t, path)
}
