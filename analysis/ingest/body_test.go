package ingest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// TestFixed: what no column tells can be the same for every row.
func TestFixed(t *testing.T) {
	m, err := ParseMap([]byte("[requests.fixed]\nendpoint = \"/pay\"\n[transfers]\ncurrency = \"USD\"\n[transfers.fixed]\ndst = \"house\"\nnote = \"x\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, path := imported(t, Options{Map: m}, []string{"id,received_at\nr1," + nine + "\n"}, []string{"id,req,created_at,payer,amount_minor,note\nt1,r1," + nine + ",a,5,own\nt2,r1," + nine + ",a,5,\nt3,,,b,5,\n"})
	if got := rows(t, path, "SELECT endpoint, body FROM req_log"); got[0] != `/pay|{"src":"a","dst":"house","amount":5,"currency":"USD"}` {
		t.Error(got)
	}
	if got := rows(t, path, "SELECT dst, note FROM transfer_v1"); !slices.Equal(got, []string{"house|own", "house|x"}) {
		t.Error(got)
	}
	if got := rows(t, path, "SELECT reason, text FROM reject"); !slices.Equal(got, []string{"the transfer has no time|t3,,,b,5,"}) {
		t.Error(got)
	}
	if _, err := ParseMap([]byte("[transfers.fixed]\nx = \"y\"")); err == nil {
		t.Error("an unknown field is taken")
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
