package ingest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readText gives what a format reads from a text, one word a row.
func readText(t *testing.T, f *Format, text string) string {
	t.Helper()
	role := f.Roles[0]
	if !f.Sniff([]byte(text)) || f.Sniff([]byte("x"+text)) {
		t.Errorf("%s does not know its own", f.Name)
	}
	m, err := f.Map([]byte(text), role, Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	out, err := (&job{key: []byte("k")}).sink(context.Background(), &file{role: role}, func(x *batch) (*batch, error) {
		for _, r := range x.requests {
			fmt.Fprintf(&b, "%d request %s %d %d %s\n", r.Line, r.Ref, r.At/1_000_000, r.Attempts, r.Upstreams)
		}
		for _, r := range x.transfers {
			fmt.Fprintf(&b, "%d transfer %s %d %s\n", r.Line, r.ID, r.Amount, r.Currency)
		}
		for _, r := range x.rejects {
			fmt.Fprintf(&b, "%d %t %s\n", r.line, r.aside, r.reason)
		}
		return x, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Read(&Input{strings.NewReader(text)}, &m, out); err != nil {
		t.Fatal(err)
	}
	out.flush()
	return b.String()
}

func TestJSONPreset(t *testing.T) {
	f := jsonPreset("proxy", "", Requests, []string{"rid", "up.status"},
		Mapping{TimeIs: "end", TimeUnit: "s", DurationUnit: "s", Missing: "-", Columns: map[string]Places{
			"time": {"t"}, "duration": {"d"}, "id": {"rid"}, "upstreams": {"up.status"}, "key": {"k"}}},
		fixes{request: func(r *Request) error {
			r.Attempts = int64(bytes.Count(r.Upstreams, []byte(","))) + 1
			if r.Ref == nil {
				return aside("a health check")
			}
			return nil
		}})
	got := readText(t, f, `{"t":"1773133202","d":2,"rid":"a","up":{"status":"504, 201"},"k":"-"}
{"t":"1773133202","d":2,"rid":"-","up":{"status":"200"}}
{"t":"-","rid":"b"}
`)
	want := "1 request a 1773133200000 2 504, 201\n2 true a health check\n3 false the request has no time\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCSVPreset(t *testing.T) {
	f := csvPreset("bank", "", Transfers, []string{"Id", "Betrag"},
		Mapping{Zone: "Europe/Berlin", TimeLayout: "02.01.2006", AmountUnit: "major", Decimal: "comma", Currency: "EUR", Columns: map[string]Places{
			"time": {"Tag"}, "id": {"Id"}, "amount": {"Betrag"}, "src": {"Von"}, "dst": {"An"}, "note": {"Text", "Zweck"}}},
		fixes{transfer: func(x *Transfer) error {
			if x.Amount < 0 {
				return aside("a reversal")
			}
			return nil
		}})
	got := readText(t, f, "Id;Tag;Betrag;Von;An;Zweck\n1;10.03.2026;\"1.234,50\";a;b;x\n2;10.03.2026;-5;a;b;x\n3;30.02.2026;5;a;b;x\n")
	want := "1 transfer"
	if !strings.HasPrefix(got, "2 transfer 1 123450 EUR\n3 true a reversal\n4 false time: ") {
		t.Errorf("%s\nwant %s", got, want)
	}
}
