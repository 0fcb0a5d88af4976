package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestUnsettled: what could be read in two ways is an error that names the flag
// which settles it, and with that flag the import is done.
func TestUnsettled(t *testing.T) {
	request := requestHeader + pay("r1", nine, "k", 4999)
	transfer := func(amount string) string {
		return "transfer_id,req,created_at,src,dst,amount,currency\nt1,r1," + nine1 + ",a,m,\"" + amount + "\",USD\n"
	}
	set := func(m Mapping) func(*Options) { return func(o *Options) { o.Map.Settle(m, "", "") } }
	for name, c := range map[string]struct {
		request, transfer string
		flag              string
		settle            func(*Options)
	}{
		"no zone": {request: strings.ReplaceAll(request, "Z,", ","), flag: "--zone", settle: set(Mapping{Zone: "Europe/Berlin"})},
		"start or end": {request: strings.ReplaceAll(request, "received_at", "logged_at"), transfer: transferHeader + "t1,r1," + nine + ",a,m,4999,USD\n",
			flag: "--time-is", settle: set(Mapping{TimeIs: "end"})},
		"unit of duration": {request: strings.ReplaceAll(request, "duration_ms", "elapsed"), flag: "--duration-unit", settle: set(Mapping{DurationUnit: "us"})},
		"unit of amount":   {request, transfer("49.99"), "--amount-unit", set(Mapping{AmountUnit: "major"})},
		"decimal comma":    {request, transfer("49,99"), "--decimal", set(Mapping{AmountUnit: "major", Decimal: "comma"})},
		"thousands": {requestHeader + pay("r1", nine, "k", 123499), transfer("1,234.99"), "--decimal",
			set(Mapping{AmountUnit: "major", Decimal: "point"})},
		"no currency": {request, "transfer_id,req,created_at,src,dst,amount_minor\nt1,r1," + nine1 + ",a,m,4999\n", "--currency", set(Mapping{Currency: "USD"})},
		"unit in bodies": {strings.ReplaceAll(request, "4999", `""49.99""`), transferHeader + "t1,r1," + nine1 + ",a,m,4999,USD\n", "--body-amount-unit",
			func(o *Options) { o.Map.Body.AmountUnit = "major" }},
		"bodies against the ledger": {strings.ReplaceAll(request, "4999", `50`), transferHeader + "t1,r1," + nine1 + ",a,m,5000,USD\n", "--body-amount-unit",
			func(o *Options) { o.Map.Body.AmountUnit = "major" }},
		"bodies without a ledger": {request, "", "--body-amount-unit", func(o *Options) { o.Map.Body.AmountUnit = "minor" }},
		"two columns for one": {strings.Replace(request, "client,path", "path,url", 1), "", "--map", func(o *Options) {
			o.Map.Body.AmountUnit = "minor"
			o.Map.Requests.Columns = map[string]Places{"endpoint": {"url"}, "client": {"path"}}
		}},
		"neither CSV nor JSON": {"hello\nworld\n", "", "--format", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if c.transfer == "" && !strings.Contains(c.flag, "body") && !strings.Contains(c.flag, "map") {
				c.transfer = transferHeader + "t1,r1," + nine1 + ",a,m,4999,USD\n"
			}
			var ledger []string
			if c.transfer != "" {
				ledger = []string{c.transfer}
			}
			first := Options{}
			if c.flag == "--decimal" {
				first.Map.Settle(Mapping{AmountUnit: "major"}, "", "")
			}
			_, path, err := tryImport(t, first, []string{c.request}, ledger)
			var u *Unsettled
			if !errors.As(err, &u) || !strings.Contains(u.Flag, c.flag) {
				t.Fatalf("%v, want %s", err, c.flag)
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("a file was made")
			}
			if c.settle == nil {
				return
			}
			o := Options{}
			c.settle(&o)
			r, _ := imported(t, o, []string{c.request}, ledger)
			if r.Requests != 1 || r.Payments != 1 || len(r.Rejects) > 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestBadRows: each bad row is a reject with its line and a reason, and costs
// only itself.
func TestBadRows(t *testing.T) {
	var requests, transfers strings.Builder
	requests.WriteString(requestHeader + pay("r1", nine, "k1", 100))
	transfers.WriteString(transferHeader + "t1,r1," + nine1 + ",a,m,100,USD\n")
	// Enough good rows for the bad ones to lie behind what is read on trial.
	for i := range 8000 {
		requests.WriteString(pay(fmt.Sprint("x", i), nine, fmt.Sprint("kx", i), 100))
		fmt.Fprintf(&transfers, "tx%d,x%d,%s,a,m,100,USD\n", i, i, nine1)
	}
	type bad struct{ row, reason string }
	badRequests := []bad{
		{pay("b1", "2026-02-30T09:00:00Z", "k", 1), "no such date"},
		{pay("b2", "2026-03-10T09:00:00+15:00", "k", 1), "beyond 14 hours"},
		{pay("b3", "2026-03-10T09:00:00", "k", 1), "--zone"},
		{pay("b4", "", "k", 1), "the request has no time"},
		{"b5,too,few\n", "3 fields"},
		{strings.Replace(pay("b6", nine, "k", 1), ",100,", ",NaN,", 1), "duration"},
		{strings.Replace(pay("b7", nine, "k", 1), "shop", "sh\x00p", 1), "NUL"},
		{strings.Replace(pay("b8", nine, "k", 1), "shop", "sh\xffp", 1), "UTF-8"},
		{strings.Replace(pay("b9", nine, "k", 1), "shop", `sh"op`, 1), "quote"},
		{"b10," + strings.Repeat("x", 17<<20) + "\n", "longer than 16 MiB"},
		{`{"id":"b11","received_at":"` + nine + `"}` + "\n", "quote"},
		{strings.Replace(pay("b12", nine, "k", 1), ",201", ",20x", 1), "status"},
	}
	badTransfers := []bad{
		{"b1,r1," + nine + ",a,m,9223372036854775808,USD\n", "64 bits"},
		{"b2,r1," + nine + ",a,m,NaN,USD\n", "not an amount"},
		{"b3,r1," + nine + ",a,m,\"1,000\",USD\n", "--decimal"},
		{"b4,r1," + nine + ",a,m,-5,USD\n", "not above zero"},
		{"b5,r1," + nine + ",,m,5,USD\n", "party"},
		{",r1," + nine + ",a,m,5,USD\n", "no id"},
		{"b7,r1," + nine + ",a,m,5,\n", "--currency"},
		{"b8,r1," + nine + ",a,m,0.5,USD\n", "finer"},
		{"b9,r1,,a,m,5,USD\n", "no time"},
		{"b10,r1," + nine, "3 fields"}, // cut
	}
	for _, b := range badRequests {
		requests.WriteString(b.row)
	}
	requests.WriteString(pay("r2", nine2, "k2", 100))
	for _, b := range badTransfers {
		transfers.WriteString(b.row)
	}
	r, path := imported(t, Options{}, []string{requests.String()}, []string{transfers.String()})
	if r.Requests != 8002 || r.Transfers != 8001 || r.Unmatched != 0 {
		t.Errorf("%d requests, %d transfers, %d unmatched", r.Requests, r.Transfers, r.Unmatched)
	}
	got := rows(t, path, "SELECT source_id, line, reason FROM reject ORDER BY source_id, line")
	if len(got) != len(badRequests)+len(badTransfers) {
		t.Fatalf("%d rejects: %q", len(got), got)
	}
	for i, b := range slices.Concat(badRequests, badTransfers) {
		where := fmt.Sprintf("1|%d|", 8003+i)
		if i >= len(badRequests) {
			where = fmt.Sprintf("2|%d|", 8003+i-len(badRequests))
		}
		if !strings.HasPrefix(got[i], where) || !strings.Contains(got[i], b.reason) {
			t.Errorf("%q, want %s… %s", got[i], where, b.reason)
		}
	}
}

// TestInterrupted: an import that waits for standard input ends with its context,
// and leaves nothing behind.
func TestInterrupted(t *testing.T) {
	in, feed := io.Pipe()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	go func() {
		// More than is looked at in advance, and then nothing more.
		io.WriteString(feed, requestHeader)
		for i := range 8000 {
			io.WriteString(feed, pay(fmt.Sprint(i), nine, "k", 5))
		}
		cancel(stop)
	}()
	o := Options{Requests: []string{"-"}, Stdin: in, Out: filepath.Join(t.TempDir(), "out.db")}
	o.Map.Body.AmountUnit = "minor"
	if _, err := Import(ctx, o); !errors.Is(err, stop) {
		t.Error(err)
	}
	if list, err := os.ReadDir(filepath.Dir(o.Out)); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
}

// TestNothingIsLost: whatever stands in a file, read = accepted + rejected, and
// the tables hold that many rows.
func TestNothingIsLost(t *testing.T) {
	piece := rapid.SampledFrom([]string{"r1", nine, nine1, "2026-03-10", ",", ",", ",", "\n", "\n", "\"", "\"\"", "k", "201", "100", "{", "}", "\xff", "\x00", "\r\n", pay("r9", nine, "k9", 9)})
	rapid.Check(t, func(rt *rapid.T) {
		body := strings.Join(rapid.SliceOf(piece).Draw(rt, "text"), "")
		o := Options{}
		o.Map.Body.AmountUnit = "minor"
		o.Map.Requests.Zone = "UTC"
		r, path, err := tryImport(t, o, []string{requestHeader + body}, nil)
		if err != nil {
			rt.Fatal(err)
		}
		defer os.Remove(path)
		s := r.Sources[0]
		n := rows(t, path, "SELECT count(*) FROM req_log")[0]
		m := rows(t, path, "SELECT count(*) FROM reject")[0]
		if s.Read != s.Accepted+s.Rejected || n != fmt.Sprint(s.Accepted) || m != fmt.Sprint(s.Rejected) {
			rt.Fatalf("%+v, %s rows, %s rejects", s.Counts, n, m)
		}
	})
}
