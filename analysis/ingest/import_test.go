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

	"idem/engine/sqlitestore/sqlfile"
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
		"tA,gone,2026-03-10T09:00:04Z,a,m,700,USD,k7,\n" +
		"t8,," + nine + ",a,m,888,USD,,\n" +
		"t9,,2026-03-10T10:00:00Z,a,m,100,USD,,\n"
	r, path := imported(t, o, []string{requests}, []string{transfers})
	got := rows(t, path, "SELECT transfer_id, seq, idem_key, join_kind, join_confidence FROM transfer_v1 ORDER BY transfer_id")
	want := []string{
		"t1|1|k1|request_id|certain", "t2|2|k2|reference|probable", "t3|3|k3|key|probable", "t4|4|k3|key|probable",
		"t5|5|k5|circumstances|suspected", "t6|6|k6|circumstances|suspected", "t7|7|k7|key|suspected", "t8||||", "t9||||", "tA|7|k7|key|probable",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Unmatched != 2 || r.Unanswered != 0 {
		t.Errorf("%d unmatched, %d unanswered", r.Unmatched, r.Unanswered)
	}
	wantJoins := []JoinCount{{"request_id", "certain", 1}, {"reference", "probable", 1}, {"key", "probable", 3}, {"key", "suspected", 1}, {"circumstances", "suspected", 2}}
	if diff := cmp.Diff(wantJoins, r.Joins); diff != "" {
		t.Error(diff)
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
