package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"idem/analysis/sqlfile"
)

// rows runs a query on an incident and joins the cells of each row.
func rows(t *testing.T, path, query string) (list []string) {
	t.Helper()
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	columns := strings.Count(query[:strings.Index(query, " FROM ")], ",") + 1
	for s.Next() {
		var cells []string
		for i := range columns {
			cells = append(cells, s.String(i))
		}
		list = append(list, strings.Join(cells, "|"))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return list
}

const (
	requestHeader  = "id,received_at,duration_ms,client,path,key,body,status\n"
	transferHeader = "transfer_id,req,created_at,src,dst,amount_minor,currency\n"
)

// pay is a request that asks for a payment.
func pay(id, at, key string, amount int) string {
	return fmt.Sprintf(`%s,%s,100,shop,/pay,%s,"{""src"":""a"",""dst"":""m"",""amount"":%d,""currency"":""USD""}",201`+"\n", id, at, key, amount)
}

const (
	nine  = "2026-03-10T09:00:00Z"
	nine1 = "2026-03-10T09:00:01Z"
	nine2 = "2026-03-10T09:00:02Z"
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
		transfers.WriteString(fmt.Sprintf("tx%d,x%d,%s,a,m,100,USD\n", i, i, nine1))
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

// TestOrder: rows out of order get their seq in the order of time, ties by file
// and line; times that are ends are moved by the duration.
func TestOrder(t *testing.T) {
	a := requestHeader + pay("a1", nine2, "k", 1) + pay("a2", nine, "k", 1) + pay("a3", nine1, "k", 1)
	b := requestHeader + pay("b1", nine1, "k", 1) + pay("b2", nine, "k", 1)
	o := Options{}
	o.Map.Body.AmountUnit = "minor"
	o.Map.Requests.TimeIs = "end"
	_, path := imported(t, o, []string{a, b}, nil)
	got := rows(t, path, "SELECT seq, request_ref, received_at, line FROM req_log ORDER BY seq")
	want := []string{
		"1|a2|2026-03-10T08:59:59.900Z|3", "2|b2|2026-03-10T08:59:59.900Z|3", "3|a3|2026-03-10T09:00:00.900Z|4",
		"4|b1|2026-03-10T09:00:00.900Z|2", "5|a1|2026-03-10T09:00:01.900Z|2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOverlap: two exports that overlap are told, not counted twice; a row that
// contradicts an earlier one of its id is rejected; two equal lines of one log
// without an id stay two requests.
func TestOverlap(t *testing.T) {
	o := Options{}
	o.Map.Body.AmountUnit = "minor"
	header := strings.TrimPrefix(requestHeader, "id,")
	anon := func(at, key string) string { return strings.TrimPrefix(pay("", at, key, 5), ",") }
	a := header + anon(nine, "k") + anon(nine, "k") + anon(nine1, "k")
	b := header + anon(nine, "k") + anon(nine1, "k") + anon(nine1, "k") + anon(nine2, "k")
	ta := transferHeader + "t1,," + nine + ",a,m,5,USD\nt2,," + nine + ",a,m,5,USD\nt2,," + nine + ",a,m,5,USD\n"
	tb := transferHeader + "t2,," + nine + ",a,m,5,USD\nt3,," + nine + ",a,m,5,USD\nt1,," + nine + ",a,m,6,USD\n"
	r, path := imported(t, o, []string{a, b}, []string{ta, tb})
	if r.Requests != 5 || r.Transfers != 3 || r.Totals.Of("USD") != 15 {
		t.Errorf("%d requests, %d transfers, %v", r.Requests, r.Transfers, r.Totals)
	}
	got := rows(t, path, "SELECT source_id, line, aside, reason FROM reject ORDER BY source_id, line")
	want := []string{
		"2|2|1|the request stands already in line 2 of source 1",
		"2|3|1|the request stands already in line 4 of source 1",
		"3|4|1|transfer t2 stands already in line 3",
		"4|2|1|transfer t2 stands already in line 3 of source 3",
		"4|4|0|transfer t1 differs from the one in line 2 of source 3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = rows(t, path, "SELECT rows_read, accepted, rejected, aside, overlapping FROM source ORDER BY id")
	if diff := cmp.Diff([]string{"3|3|0|0|0", "4|2|2|2|2", "3|2|1|1|1", "3|1|2|1|1"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRepeatedIDs(t *testing.T) {
	o := Options{}
	o.Map.Body.AmountUnit = "minor"
	a := requestHeader + pay("r1", nine, "k", 5) + pay("r1", nine, "k", 5) + pay("r1", nine2, "k", 5)
	r, path := imported(t, o, []string{a}, []string{transferHeader + "t1,r1," + nine2 + ",a,m,5,USD\n"})
	if r.Requests != 2 || r.Sources[0].Overlapping != 1 {
		t.Errorf("%+v", r)
	}
	if got := rows(t, path, "SELECT seq, join_kind, join_confidence FROM transfer_v1"); got[0] != "3|request_id|probable" {
		t.Error(got)
	}
}

// TestSameFile: a file already imported is refused under any name.
func TestSameFile(t *testing.T) {
	text := requestHeader + pay("r1", nine, "k", 5)
	if _, _, err := tryImport(t, Options{}, []string{text, text}, nil); err == nil || !strings.Contains(err.Error(), "same file") {
		t.Error(err)
	}
	o := Options{Requests: []string{"x", "x"}}
	if _, err := Import(t.Context(), o); err == nil {
		t.Error("a file named twice was taken")
	}
}

// TestJoins: each way to tie a transfer to its request, and how sure it is.
func TestJoins(t *testing.T) {
	o := Options{}
	o.Map.Body.AmountUnit = "minor"
	request := func(id, at, key, ref string, amount int) string {
		return strings.Replace(pay(id, at, key, amount), `""src""`, `""ref"":""`+ref+`"",""src""`, 1)
	}
	requests := requestHeader +
		request("r1", nine, "k1", "o-1", 100) +
		request("r2", nine1, "k2", "o-2", 200) +
		request("r3", nine1, "k3", "o-3", 300) +
		request("r4", nine2, "k3", "o-4", 300) +
		request("r5", nine2, "k5", "o-5", 500) +
		request("r6", "2026-03-10T09:00:03Z", "k6", "o-5", 500) +
		request("r7", "2026-03-10T09:00:04Z", "k7", "o-7", 700)
	transfers := "transfer_id,req,created_at,src,dst,amount_minor,currency,key,reference\n" +
		"t1,r1," + nine + ",a,m,100,USD,,\n" +
		"t2,,2026-03-11T00:00:00Z,a,m,200,USD,,o-2\n" +
		"t3,," + nine1 + ",a,m,300,USD,k3,\n" +
		"t4,," + nine2 + ",a,m,300,USD,\"\"\"k3\"\"\",\n" +
		"t5,," + nine2 + ",a,m,500,USD,,\n" +
		"t6,,2026-03-10T09:00:03Z,a,m,500,USD,,\n" +
		"t7,gone,2026-03-10T09:00:04Z,a,m,777,USD,k7,\n" +
		"t8,," + nine + ",a,m,888,USD,,\n" +
		"t9,,2026-03-10T10:00:00Z,a,m,100,USD,,\n"
	r, path := imported(t, o, []string{requests}, []string{transfers})
	got := rows(t, path, "SELECT transfer_id, seq, idem_key, join_kind, join_confidence FROM transfer_v1 ORDER BY transfer_id")
	want := []string{
		"t1|1|k1|request_id|certain", "t2|2|k2|reference|probable", "t3|3|k3|key|probable", "t4|4|k3|key|probable",
		"t5|5|k5|circumstances|suspected", "t6|6|k6|circumstances|suspected", "t7|7|k7|key|suspected", "t8||||", "t9||||",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Unmatched != 2 || r.Unanswered != 0 {
		t.Errorf("%d unmatched, %d unanswered", r.Unmatched, r.Unanswered)
	}
	wantJoins := []JoinCount{{"request_id", "certain", 1}, {"reference", "probable", 1}, {"key", "probable", 2}, {"key", "suspected", 1}, {"circumstances", "suspected", 2}}
	if diff := cmp.Diff(wantJoins, r.Joins); diff != "" {
		t.Error(diff)
	}
}

// TestBodies: what the engine reads, where the payment stands elsewhere, in
// other units, in no JSON, or not at all.
func TestBodies(t *testing.T) {
	var o Options
	m, err := ParseMap([]byte(`
[body]
src = "$.payer.account"
dst = ["$.payee", "$.payee.iban"]
amount = "$.total.value"
currency = "$.total.ccy"
reference = "$.lines[0].order"
key = "$.meta.req-id"
amount_unit = "major"
default_dst = "house"
`))
	if err != nil {
		t.Fatal(err)
	}
	o.Map = m
	line := func(id, method, body string) string {
		return id + "," + nine + "," + method + ",\"" + strings.ReplaceAll(body, `"`, `""`) + "\"\n"
	}
	requests := "id,received_at,method,body\n" +
		line("r1", "POST", `{"payer":{"account":"a"},"payee":{"iban":"m"},"total":{"value":"49.99","ccy":"eur"},"lines":[{"order":"o-1"}],"meta":{"req-id":"q"}}`) +
		line("r2", "POST", `{"payer":{"account":7},"payee":"m","total":{"value":5,"ccy":"JPY"}}`) +
		line("r3", "POST", `{"payer":{"account":"a"},"total":{"value":5.5,"ccy":"USD"}}`) +
		line("r4", "POST", `{"customer":"c"}`) +
		line("r5", "GET", `{"payer":{"account":"a"},"payee":"m","total":{"value":5,"ccy":"JPY"}}`) +
		line("r6", "POST", `amount=5&x="y"`) +
		line("r7", "POST", `{"payer":{"account":"a"},"payee":"m","total":{"value":5.555,"ccy":"USD"}}`) +
		line("r8", "POST", `{"payer":1,"payer":2}`) +
		line("r9", "POST", ``) +
		line("rA", "POST", `<pay/>`) +
		line("rB", "POST", `payer.account=x`)
	r, path := imported(t, o, []string{requests}, nil)
	got := rows(t, path, "SELECT request_ref, kind, body_from, reference, body_key, body FROM req_log ORDER BY seq")
	want := []string{
		`r1|payment|moved|o-1|q|{"src":"a","dst":"m","amount":4999,"currency":"EUR","received":{"payer":{"account":"a"},"payee":{"iban":"m"},"total":{"value":"49.99","ccy":"eur"},"lines":[{"order":"o-1"}],"meta":{"req-id":"q"}}}`,
		`r2|payment|moved|||{"src":"7","dst":"m","amount":5,"currency":"JPY","received":{"payer":{"account":7},"payee":"m","total":{"value":5,"ccy":"JPY"}}}`,
		`r3|payment|moved|||{"src":"a","dst":"house","amount":550,"currency":"USD","received":{"payer":{"account":"a"},"total":{"value":5.5,"ccy":"USD"}}}`,
		`r4|other|log|||{"customer":"c"}`,
		`r5|other|log|||{"payer":{"account":"a"},"payee":"m","total":{"value":5,"ccy":"JPY"}}`,
		`r6|other|moved|||{"received":"amount=5&x=\"y\""}`,
		`r7|other|log|||{"payer":{"account":"a"},"payee":"m","total":{"value":5.555,"ccy":"USD"}}`,
		`r8|unknown|moved|||{"received":"{\"payer\":1,\"payer\":2}"}`,
		`r9|unknown|none|||{}`,
		`rA|unknown|moved|||{"received":"<pay/>"}`,
		`rB|other|moved|||{"received":"payer.account=x"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Payments != 3 || r.Accounts != 4 {
		t.Errorf("%d payments, %d accounts", r.Payments, r.Accounts)
	}
	for _, received := range rows(t, path, "SELECT body_received FROM req_log WHERE body_from = 'moved'") {
		if !strings.Contains(requests, strings.ReplaceAll(received, `"`, `""`)) {
			t.Errorf("%s was not received", received)
		}
	}
}

// TestForms: a body as Stripe receives it, with the key in it.
func TestForms(t *testing.T) {
	m, err := ParseMap([]byte("[body]\nsrc = \"customer\"\namount_unit = \"minor\"\ndefault_dst = \"us\"\nreference = '$[\"metadata[order]\"]'\n"))
	if err != nil {
		t.Fatal(err)
	}
	requests := "id,received_at,method,body\nr1," + nine + ",POST,amount=2000&currency=usd&customer=cus%5F1&metadata[order]=6735&idempotency_key=k1&card[cvc]=123\n"
	_, path := imported(t, Options{Map: m}, []string{requests}, nil)
	got := rows(t, path, "SELECT kind, idem_key, reference, body FROM req_log")
	want := `payment|k1|6735|{"src":"cus_1","dst":"us","amount":2000,"currency":"USD","received":"amount=2000&currency=usd&customer=cus%5F1&metadata[order]=6735&idempotency_key=k1&card[cvc]=[dropped]"}`
	if got[0] != want {
		t.Errorf("%s\nwant %s", got[0], want)
	}
}

// TestMovedElsewhere: a request that moved money is a payment, though its body
// says so in places that nobody named; what was received still tells two sends
// apart.
func TestMovedElsewhere(t *testing.T) {
	line := func(id, key, body string) string {
		return id + "," + nine + "," + key + ",POST,\"" + strings.ReplaceAll(body, `"`, `""`) + "\"\n"
	}
	requests := "id,received_at,key,method,body\n" + line("r1", "k", `{"total":5}`) + line("r2", "k", `{"total":6}`) + line("r3", "z", `{"total":5}`) + line("r4", "k", `total=5`)
	r, path := imported(t, Options{}, []string{requests}, []string{transferHeader + "t1,r1," + nine + ",a,m,500,USD\n"})
	got := rows(t, path, "SELECT kind, body_from, body, body_received FROM req_log ORDER BY seq")
	want := []string{
		`payment|ledger|{"src":"a","dst":"m","amount":500,"currency":"USD","received":{"total":5}}|{"total":5}`,
		`payment|key|{"src":"a","dst":"m","amount":500,"currency":"USD","received":{"total":6}}|{"total":6}`,
		`other|log|{"total":5}|`,
		`payment|key|{"src":"a","dst":"m","amount":500,"currency":"USD","received":"total=5"}|total=5`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Completed != 3 || r.Payments != 3 {
		t.Errorf("%+v", r)
	}
}

// TestNoBodies: an access log has none; the ledger tells them.
func TestNoBodies(t *testing.T) {
	requests := "id,received_at,client,path,key,status\nr1," + nine + ",c,/pay,k,504\nr2," + nine1 + ",c,/pay,k,201\nr3," + nine2 + ",c,/pay,other,500\n"
	transfers := transferHeader + "t1,r2," + nine1 + ",a,m,5,USD\nt2,r2," + nine2 + ",a,m,5,USD\n"
	r, path := imported(t, Options{}, []string{requests}, []string{transfers})
	got := rows(t, path, "SELECT request_ref, kind, body_from, body FROM req_log ORDER BY seq")
	want := []string{
		`r1|payment|key|{"src":"a","dst":"m","amount":5,"currency":"USD"}`,
		`r2|payment|ledger|{"src":"a","dst":"m","amount":5,"currency":"USD"}`,
		`r3|unknown|none|{}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := rows(t, path, "SELECT acct_id, balance, assumed FROM account"); !slices.Equal(got, []string{"a|15|1", "m|0|1"}) || r.Payments != 2 {
		t.Errorf("%q, %d payments", got, r.Payments)
	}
}

func TestAccounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "accounts.csv")
	if err := os.WriteFile(path, []byte("acct_id,holder,balance_minor\na,Ann,1000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Accounts: []string{path}}
	o.Map.Body.AmountUnit = "minor"
	r, out := imported(t, o, []string{requestHeader + pay("r1", nine, "k", 5)}, []string{transferHeader + "t1,r1," + nine + ",b,a,7,USD\n"})
	got := rows(t, out, "SELECT acct_id, holder, balance, assumed FROM account ORDER BY 1")
	if !slices.Equal(got, []string{"a|Ann|1000|0", "b||7|1", "m||0|1"}) || r.Assumed != 2 {
		t.Errorf("%q %+v", got, r)
	}
}

// TestKeys: a key loses its quotes and blanks, and the raw form is kept.
func TestKeys(t *testing.T) {
	for in, want := range map[string]string{`k`: "k", ` k `: "k", `"k"`: "k", `"a""b"`: `"a""b"`, `"`: `"`, `""`: "", "-": "", "": ""} {
		if got := string(bareKey([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestRepeats: the mapping that an import printed repeats it, and the same files
// give the same bytes.
func TestRepeats(t *testing.T) {
	requests, transfers := labelled(t, "requests-labelled.sample")["all"], labelled(t, "transfers-labelled.sample")["all"]
	r1, path1 := imported(t, Options{}, []string{requests}, []string{transfers})
	m, err := ParseMap([]byte(r1.Mapping))
	if err != nil {
		t.Fatal(err)
	}
	r2, path2 := imported(t, Options{Map: m}, []string{requests}, []string{transfers})
	if r1.Mapping != r2.Mapping {
		t.Error(cmp.Diff(r1.Mapping, r2.Mapping))
	}
	a, err := os.ReadFile(path1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path2)
	if err != nil {
		t.Fatal(err)
	}
	// Only the paths of the two folders differ.
	a = bytes.ReplaceAll(a, []byte(filepath.Dir(path1)), []byte("DIR"))
	b = bytes.ReplaceAll(b, []byte(filepath.Dir(path2)), []byte("DIR"))
	if !bytes.Equal(a, b) {
		t.Error("the two incidents differ")
	}
}

func TestPlace(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "r.csv"), filepath.Join(dir, "out.db")
	if err := os.WriteFile(in, []byte(requestHeader+pay("r1", nine, "k", 5)), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Requests: []string{in}, Out: out}
	o.Map.Body.AmountUnit = "minor"
	dry := o
	dry.DryRun = true
	if r, err := Import(t.Context(), dry); err != nil || r.Requests != 1 {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Fatal("a dry run made a file")
	}
	if _, err := Import(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), o); !errors.Is(err, ErrExists) {
		t.Fatal(err)
	}
	o.Force = true
	if _, err := Import(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	o.Out = in
	if _, err := Import(t.Context(), o); err == nil {
		t.Fatal("a source was overwritten")
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	if head, err := os.ReadFile(out); err != nil || head[18] != 1 || head[19] != 1 {
		t.Error("not a rollback-journal database")
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
