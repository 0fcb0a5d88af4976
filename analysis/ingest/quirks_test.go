package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rowsOf reads a text in the format that knows it, and gives its rows; or the
// error and the flag that settles it.
func rowsOf(t *testing.T, role Role, text, mapping string) string {
	t.Helper()
	o := Options{}
	var err error
	if o.Map, err = ParseMap([]byte(mapping)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if role == Requests {
		o.Requests = []string{path}
	} else {
		o.Transfers = []string{path}
	}
	j, err := plan(t.Context(), o)
	defer j.close()
	if err != nil {
		if u := new(Unsettled); errors.As(err, &u) {
			return "unsettled " + u.Flag
		}
		return "error " + err.Error()
	}
	var b strings.Builder
	out, err := j.sink(context.Background(), j.files[0], func(x *batch) (*batch, error) {
		x.dump(&b)
		x.reset()
		return x, nil
	})
	if err == nil {
		err = j.files[0].format.Read(&Input{j.files[0].src}, &j.files[0].mapping, out)
	}
	if err != nil {
		return "error " + err.Error()
	}
	out.flush()
	return b.String()
}

// quirk is a text that a format writes in its own way, and lines that come of it;
// one that begins with a dash does not.
type quirk struct {
	quirk, text, mapping string
	wants                []string
}

func quirks() []quirk {
	const (
		nginx   = `{"msec":"1773133762.040","request_time":62.040,"status":201,"request":"POST /p HTTP/1.1","upstream_status":%q,"body":"%s"}`
		envoy   = `{"start_time":%q,"duration":"1500","response_code":"503","response_flags":"UT","method":"POST","path":"/p","idempotency-key":%q,"upstream_request_attempt_count":"3"}`
		caddy   = `{"ts":1773133201.5,"duration":%s,"status":201,"request":{"method":"POST","uri":"/p","proto":"HTTP/2.0","headers":{"Idempotency-Key":["k"]}}}`
		traefik = `{"StartUTC":"2026-03-10T09:05:00Z","Duration":2500000000,"DownstreamStatus":201,"RequestMethod":"POST","RequestPath":"/p","RetryAttempts":%d}`
		kong    = `{"started_at":1773133700000,"latencies":{"request":12},"request":{"method":"POST","uri":"/p","headers":{}},"response":{"status":201},"tries":[{"ip":"10.0.0.4","port":80,"state":"failed","code":504},{"ip":"10.0.0.5","port":80}]}`
		haproxy = `1.2.3.4:5 [10/Mar/2026:10:08:20.655] f b/s 0/0/0/1/1500 201 2 - - ---- 1/1/1/1/0 0/0 {x|k-1} "POST /p HTTP/1.1"`
		har     = `{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-03-10T09:00:00Z","time":1.5,"request":{"method":"POST","url":"https://x/p","headers":%s},"response":{"status":%d}}]}}`
		gor     = "1 932079936fa4306fc308d675 1773133200000000001\nPOST /p HTTP/1.1\nIdempotency-Key: k\n\nx=1\n🐵🙈🙉\n2 932079936fa4306fc308d675 1773133200020000001\nHTTP/1.1 201 Created\n\n\n🐵🙈🙉\n"
		otlp    = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":%s,"attributes":[{"key":"http.request.method","value":{"stringValue":"POST"}}]}]}]}]}`
		balance = "id,Type,Source,Amount,Fee,Net,Currency,Created (UTC)\ntxn_1,charge,ch_1,%s,1,1,%s,2026-03-10 09:00\n"
		mt      = ":20:S\n:25:A\n:28C:1\n:60F:C260309EUR0,\n:61:%s\n:62F:C260310EUR0,\n"
		camt    = `<Document><BkToCstmrStmt><Stmt><Id>S</Id>%s<Acct><Id><IBAN>A</IBAN></Id></Acct><Ntry><Amt Ccy="EUR">12.50000</Amt><CdtDbtInd>DBIT</CdtDbtInd>%s<BookgDt><DtTm>2026-03-10T09:00:00Z</DtTm></BookgDt>%s</Ntry></Stmt></BkToCstmrStmt></Document>`
		ofx     = "OFXHEADER:100\n\n<OFX><CURDEF>USD<ACCTID>9<STMTTRN><DTPOSTED>%s<TRNAMT>-1.50<FITID>f</STMTTRN>"
	)
	zone := func(role, name string) string { return "[" + role + "]\nzone = \"" + name + "\"\n" }
	return []quirk{
		{"nginx: the time is the end, in seconds", fmt.Sprintf(nginx, "201", ""), "", []string{"at 2026-03-10T09:08:20.000Z", "duration_ns 62040000000"}},
		{"nginx: a list is several executions", fmt.Sprintf(nginx, "504, 201", ""), "", []string{"attempts 2", "upstreams 504, 201"}},
		{"nginx: groups of a list", fmt.Sprintf(nginx, "504, 502 : 201", ""), "", []string{"attempts 3", "upstreams 504, 502, 201"}},
		{`nginx: \xXX`, fmt.Sprintf(nginx, "201", `{\x22a\x22:\x22\xC3\xA9\x5C\x22\x22}`), "", []string{`body {"a":"é\""}`}},
		{"nginx: a bare dash", strings.Replace(fmt.Sprintf(nginx, "201", ""), "201", "-", 1), "", []string{"upstreams 201", "-status 201"}},
		{"envoy: the time is the start, ms, texts", fmt.Sprintf(envoy, "2026-03-10T09:00:00.000Z", "k"), "", []string{"at 2026-03-10T09:00:00.000Z", "duration_ns 1500000000", "status 503", "attempts 3", "key k"}},
		{"envoy: a number of an unknown unit", fmt.Sprintf(envoy, "1773133200", "k"), "", []string{"unsettled --time-unit"}},
		{"envoy: a dash is missing", fmt.Sprintf(envoy, "2026-03-10T09:00:00.000Z", "-"), "", []string{"-key -"}},
		{"caddy: seconds with a fraction, the end", fmt.Sprintf(caddy, "0.5"), "", []string{"at 2026-03-10T09:00:01.000Z", "duration_ns 500000000", "key k"}},
		{"caddy: whole numbers of an unknown unit", fmt.Sprintf(caddy, "500"), "", []string{"unsettled --duration-unit"}},
		{"traefik: nanoseconds", fmt.Sprintf(traefik, 0), "", []string{"duration_ns 2500000000", "attempts 1"}},
		{"traefik: retries come after the first attempt", fmt.Sprintf(traefik, 2), "", []string{"attempts 3"}},
		{"kong: tries", kong, "", []string{"at 2026-03-10T09:08:20.000Z", "duration_ns 12000000", "attempts 2", "upstreams 10.0.0.4:80 failed 504, 10.0.0.5:80"}},
		{"kong: a batch in one line", "[" + kong + "," + strings.Replace(kong, "201", "202", 1) + "]", "", []string{"status 201", "status 202"}},
		{"haproxy: a key by position must be told", haproxy, zone("requests", "UTC"), []string{`unsettled --map with key = "request[0]" (or [] for none) under [requests.columns]`}},
		{"haproxy: no zone", haproxy, "[requests.columns]\nkey = \"request[1]\"", []string{"unsettled --zone"}},
		{"haproxy: told", haproxy, zone("requests", "Europe/Berlin") + "[requests.columns]\nkey = \"request[1]\"", []string{"at 2026-03-10T09:08:20.655Z", "key k-1", "duration_ns 1500000000"}},
		{"har: a byte order mark and pairs", "\ufeff" + fmt.Sprintf(har, `[{"name":"IDEMPOTENCY-KEY","value":"k"}]`, 201), "", []string{"key k", "duration_ns 1500000", "status 201"}},
		{"har: objects", fmt.Sprintf(har, `{"idempotency-key":["k"]}`, 201), "", []string{"key k"}},
		{"har: given up", fmt.Sprintf(har, `[]`, 0), "", []string{"note given up by the client", "-status 0"}},
		{"gor: LF", gor, "", []string{"key k", "duration_ns 20000000", "status 201", `received x=1`}},
		{"gor: CRLF", strings.ReplaceAll(gor, "\n", "\r\n"), "", []string{"key k", "duration_ns 20000000", "status 201", `received x=1`}},
		{"otlp: a number beyond 2^53", fmt.Sprintf(otlp, "1773133200000000001"), "", []string{"at 2026-03-10T09:00:00.000000001Z"}},
		{"otlp: a text beyond 2^53", fmt.Sprintf(otlp, `"1773133200000000001"`), "", []string{"at 2026-03-10T09:00:00.000000001Z"}},
		{"otlp: a number that a float was made of", fmt.Sprintf(otlp, "1.7731332e18"), "", []string{`reason time: not a time: "1.7731332e18"`}},
		{"stripe: whole units, currency in lower case", fmt.Sprintf(balance, "49.99", "usd"), "", []string{"amount 4999", "currency USD"}},
		{"stripe: no decimals", fmt.Sprintf(balance, "500", "jpy"), "", []string{"amount 500"}},
		{"stripe: a decimal comma", fmt.Sprintf(balance, `"49,99"`, "usd"), "", []string{"unsettled --decimal"}},
		{"mt940: a decimal comma", fmt.Sprintf(mt, "2603100310C1049,99NTRFref"), zone("transfers", "UTC"), []string{"amount 104999", "at 2026-03-10T00:00:00.000Z"}},
		{"mt940: a 30th of February", fmt.Sprintf(mt, "260230C1,NTRFref"), zone("transfers", "UTC"), []string{"reason time: the entry has no date but a 30th of February, as banks count days of interest"}},
		{"mt940: a 30th of February beside a booking date", fmt.Sprintf(mt, "2602300302C1,NTRFref"), zone("transfers", "UTC"), []string{"at 2026-03-02T00:00:00.000Z"}},
		{"mt940: a reversal", fmt.Sprintf(mt, "260310RD1,NTRFref"), zone("transfers", "UTC"), []string{"src counterparty", "dst A"}},
		{"camt: five decimals", fmt.Sprintf(camt, "", "", ""), "", []string{"amount 1250", "src A"}},
		{"camt: a copy", fmt.Sprintf(camt, "<CpyDplctInd>COPY</CpyDplctInd>", "", ""), "", []string{"reason an entry of a copy of a statement (COPY)"}},
		{"camt: a batch", fmt.Sprintf(camt, "", "", `<NtryDtls><TxDtls><Amt Ccy="EUR">12</Amt></TxDtls><TxDtls><Amt Ccy="EUR">.5</Amt></TxDtls></NtryDtls>`), "", []string{"amount 1200", "amount 50", "id S/1/2"}},
		{"camt: a reversal", fmt.Sprintf(camt, "", "<RvslInd>true</RvslInd>", `<NtryDtls><TxDtls><RltdPties><Dbtr><Nm>D</Nm></Dbtr><Cdtr><Nm>C</Nm></Cdtr></RltdPties></TxDtls></NtryDtls>`), "", []string{"src A", "dst D"}},
		{"ofx: a zone in brackets", fmt.Sprintf(ofx, "20260310040000[-5:EST]"), "", []string{"at 2026-03-10T09:00:00.000Z", "amount 150"}},
		{"ofx: no zone", fmt.Sprintf(ofx, "20260310040000"), "", []string{"unsettled --zone"}},
	}
}

// TestQuirks: what is peculiar about each log and ledger, one case each. wants are
// lines that must be among those of the row; -line must not.
func TestQuirks(t *testing.T) {
	for _, c := range quirks() {
		role := Requests
		for _, ledger := range []string{"stripe:", "mt940:", "camt:", "ofx:"} {
			if strings.HasPrefix(c.quirk, ledger) {
				role = Transfers
			}
		}
		t.Run(c.quirk, func(t *testing.T) {
			got := rowsOf(t, role, c.text, c.mapping)
			for _, want := range c.wants {
				unwanted, not := strings.CutPrefix(want, "-")
				if not == strings.Contains("\n"+strings.ReplaceAll(got, "\n    ", "\n")+"\n", "\n"+unwanted) {
					t.Errorf("%s: %q in\n%s", c.text, want, got)
				}
			}
		})
	}
}

// TestLogsAndLedgersJoin imports a gateway's log with a provider's events: the
// keys tie them.
func TestLogsAndLedgersJoin(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "access.log")
	text := `{"msec":"1773133201.000","request_time":1.000,"request_id":"a","request_method":"POST","request_uri":"/v1/charges","status":504,"upstream_status":"504","http_idempotency_key":"k-1","request_body":"amount=4999&currency=usd&customer=cus_a"}
{"msec":"1773133205.000","request_time":1.000,"request_id":"b","request_method":"POST","request_uri":"/v1/charges","status":201,"upstream_status":"201","http_idempotency_key":"k-2","request_body":"amount=4999&currency=usd&customer=cus_a"}
`
	events := filepath.Join(dir, "events.json")
	list := `{"object":"list","data":[
 {"id":"evt_1","object":"event","created":1773133200,"type":"charge.succeeded","data":{"object":{"id":"ch_1","object":"charge","created":1773133200,"amount":4999,"currency":"usd","customer":"cus_a"}},"request":{"id":"req_1","idempotency_key":"k-1"}},
 {"id":"evt_2","object":"event","created":1773133204,"type":"charge.succeeded","data":{"object":{"id":"ch_2","object":"charge","created":1773133204,"amount":4999,"currency":"usd","customer":"cus_a"}},"request":{"id":"req_2","idempotency_key":"k-2"}}]}`
	for path, text := range map[string]string{log: text, events: list} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out.db")
	r, err := Import(t.Context(), Options{Requests: []string{log}, Transfers: []string{events}, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unmatched != 0 || r.Transfers != 2 || r.Requests != 2 {
		t.Errorf("%+v", r)
	}
	got := rows(t, out, "SELECT transfer_id, seq, idem_key, join_kind FROM transfer_v1 ORDER BY seq")
	if diff := cmp.Diff([]string{"ch_1|1|k-1|key", "ch_2|2|k-2|key"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestNoKeyIsKept: that a log has no key is an answer, which a repeated import has
// to find in its mapping.
func TestNoKeyIsKept(t *testing.T) {
	m, err := ParseMap([]byte("[requests.columns]\nkey = []\n"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseMap([]byte(m.Text()))
	if places, told := again.Requests.Columns["key"]; err != nil || !told || len(places) > 0 {
		t.Errorf("%v, %v in %s", places, err, m.Text())
	}
}
