package ingest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"idem/analysis/ingest/moment"
)

var update = flag.Bool("update", false, "write the .want files of the samples")

// sample is one file of testdata.
type sample struct{ path, format string }

func (s *sample) role() Role {
	role, _, _ := strings.Cut(filepath.Base(s.path), "-")
	return Role(role)
}

func samples(t *testing.T) (list []sample) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*/*.sample")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, p := range paths {
		list = append(list, sample{p, filepath.Base(filepath.Dir(p))})
	}
	return list
}

// TestSamples reads every sample in the format its folder is named after.
func TestSamples(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(strings.TrimSuffix(s.path, ".sample"), func(t *testing.T) {
			got := readSample(t, s)
			want := strings.TrimSuffix(s.path, ".sample") + ".want"
			if *update {
				if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// readSample gives the rows of a sample as text, by the same way an import has.
func readSample(t *testing.T, s sample) string {
	t.Helper()
	o := Options{}
	if text, err := os.ReadFile(strings.TrimSuffix(s.path, ".sample") + ".toml"); err == nil {
		if o.Map, err = ParseMap(text); err != nil {
			t.Fatal(err)
		}
	}
	switch s.role() {
	case Requests:
		o.Requests = []string{s.path}
	case Transfers:
		o.Transfers = []string{s.path}
	default:
		o.Accounts = []string{s.path}
	}
	j, err := plan(t.Context(), o)
	defer j.close()
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	f := j.files[0]
	if f.format.Name != s.format {
		t.Fatalf("taken for %s", f.format.Name)
	}
	var b strings.Builder
	out, err := j.sink(context.Background(), f, func(x *batch) (*batch, error) {
		x.dump(&b)
		x.reset()
		return x, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.format.Read(&Input{f.src}, &f.mapping, out); err != nil {
		t.Fatal(err)
	}
	out.flush()
	if c := out.counts; c.Read != c.Accepted+c.Rejected {
		t.Errorf("%d read, %d accepted, %d rejected", c.Read, c.Accepted, c.Rejected)
	}
	fmt.Fprintf(&b, "%+v\n", out.counts)
	return b.String()
}

// dump writes rows one field a word, leaving out what is unknown.
func (x *batch) dump(b *strings.Builder) {
	type pair struct {
		name  string
		value any
	}
	line := func(what string, n int64, pairs ...pair) {
		fmt.Fprintf(b, "%d %s", n, what)
		for _, p := range pairs {
			switch v := p.value.(type) {
			case []byte:
				if len(v) > 0 {
					fmt.Fprintf(b, "\n    %s %s", p.name, v)
				}
			case int64:
				if v != 0 {
					fmt.Fprintf(b, "\n    %s %d", p.name, v)
				}
			case string:
				fmt.Fprintf(b, "\n    %s %s", p.name, v)
			}
		}
		b.WriteByte('\n')
	}
	for i := range x.requests {
		r := &x.requests[i]
		line("request", r.Line, pair{"at", string(moment.Append(nil, r.At))}, pair{"duration_ns", r.Duration}, pair{"ref", r.Ref},
			pair{"client", r.Client}, pair{"method", r.Method}, pair{"endpoint", r.Endpoint}, pair{"query", r.query}, pair{"key", r.Key},
			pair{"key_raw", r.keyRaw}, pair{"body_key", r.bodyKey}, pair{"kind", string(r.kind)}, pair{"reference", r.ref},
			pair{"body", r.Body}, pair{"received", r.received}, pair{"status", r.Status}, pair{"attempts", r.Attempts}, pair{"node", r.Node},
			pair{"upstreams", r.Upstreams}, pair{"retry", r.Retry}, pair{"replayed", r.Replayed}, pair{"trace", r.Trace}, pair{"note", r.Note})
	}
	for i := range x.transfers {
		t := &x.transfers[i]
		line("transfer", t.Line, pair{"at", string(moment.Append(nil, t.At))}, pair{"id", t.ID}, pair{"request", t.Request}, pair{"key", t.Key},
			pair{"reference", t.Ref}, pair{"src", t.Src}, pair{"dst", t.Dst}, pair{"amount", t.Amount}, pair{"currency", t.Currency},
			pair{"seq", t.Seq}, pair{"note", t.Note})
	}
	for i := range x.accounts {
		a := &x.accounts[i]
		line("account", a.Line, pair{"id", a.ID}, pair{"holder", a.Holder}, pair{"balance", a.Balance})
	}
	for i := range x.rejects {
		r := &x.rejects[i]
		what := "reject"
		if r.aside {
			what = "aside"
		}
		line(what, r.line, pair{"reason", r.reason}, pair{"text", r.text})
	}
}

// TestSniff asks every format about every sample: only its own may say yes, of
// the formats that are not general.
func TestSniff(t *testing.T) {
	for _, s := range samples(t) {
		head, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
		for _, f := range formats {
			if f.General || !slices.Contains(f.Roles, s.role()) {
				continue
			}
			if got, want := f.Sniff(head), f.Name == s.format; got != want {
				t.Errorf("%s: %s says %t", s.path, f.Name, got)
			}
		}
	}
}
