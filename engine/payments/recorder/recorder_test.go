package recorder_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"idem/engine"
	"idem/engine/payments/recorder"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var accounts = []engine.Account{{ID: "a", Holder: "A", Balance: 1000}, {ID: "7", Integer: true, Holder: "B"}}

func open(t *testing.T, path string) *recorder.Recorder {
	t.Helper()
	r, err := recorder.Open(t.Context(), path, accounts, func(n int, err error) { t.Errorf("%d entries dropped: %v", n, err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// rows reads a query's rows, with the types that the file keeps.
func rows(t *testing.T, path, query string) string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	columns, err := result.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for result.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := result.Scan(into...); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%#v", values))
	}
	if err := result.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func entry(r *recorder.Recorder, key, body string) recorder.Entry {
	return recorder.Entry{
		Seq: r.NextSeq(), ReceivedAt: time.Date(2026, 3, 10, 9, 0, 0, 120e6, time.UTC),
		Request:  engine.Request{ClientID: "c", Endpoint: "/v1/transfers", Key: key, Method: "POST", Body: []byte(body)},
		Duration: 1500 * time.Microsecond, Status: 201, Attempt: 1, Outcome: "executed",
	}
}

func TestRecordIsAnIncident(t *testing.T) {
	path := filepath.Join(t.TempDir(), "it's 100%? a #day.db")
	r := open(t, path)
	first, second := entry(r, "k", `{"a":1}`), entry(r, "", "\xff")
	second.Request.ClientID, second.Status, second.Attempt, second.Outcome = "", 400, 0, "refused"
	first.Transfer = &engine.Transfer{ID: "tr_1", Src: "a", Dst: "7", Amount: 5, Currency: "KRW", CreatedAt: first.ReceivedAt}
	r.Add(second) // requests end in another order than they arrive in
	r.Add(first)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"SELECT * FROM account ORDER BY holder": `[]interface {}{"a", "A", 1000}` + "\n" + `[]interface {}{7, "B", 0}`,
		"SELECT * FROM req_log ORDER BY seq": `[]interface {}{1, "2026-03-10T09:00:00.12Z", "c", "/v1/transfers", "k", "{\"a\":1}", 1, 201, "POST", 1, "executed"}` + "\n" +
			`[]interface {}{2, "2026-03-10T09:00:00.12Z", interface {}(nil), "/v1/transfers", interface {}(nil), []uint8{0xff}, 1, 400, "POST", 0, "refused"}`,
		"SELECT * FROM transfer_v1":                    `[]interface {}{"tr_1", 1, "k", "a", "7", 5, "KRW", "2026-03-10T09:00:00.12Z"}`,
		"SELECT journal_mode FROM pragma_journal_mode": `[]interface {}{"wal"}`,
	} {
		if got := rows(t, path, query); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", query, got, want)
		}
	}
}

func TestRecordGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day.db")
	for run := range 3 {
		r := open(t, path)
		e := entry(r, "k", "x")
		if e.Seq != int64(run)+1 {
			t.Errorf("run %d begins at %d", run, e.Seq)
		}
		r.Add(e)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := rows(t, path, "SELECT count(*), (SELECT count(*) FROM account) FROM req_log"); got != "[]interface {}{3, 2}" {
		t.Errorf("rows %s", got)
	}
}

func TestManyWritersAndNothingLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day.db")
	r := open(t, path)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				r.Add(entry(r, "k", "x"))
			}
		})
	}
	all.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, path, "SELECT count(*), max(seq) FROM req_log"); got != "[]interface {}{800, 800}" {
		t.Errorf("rows %s", got)
	}
}

// A record that cannot be written costs entries, not payments: Add never waits,
// and each entry that is not in the file is counted.
func TestWhatIsNotWrittenIsCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day.db")
	var dropped, full atomic.Int64
	r, err := recorder.Open(t.Context(), path, nil, func(n int, err error) {
		dropped.Add(int64(n))
		if errors.Is(err, recorder.ErrFull) {
			full.Add(int64(n))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil { // somebody holds the writer up
		t.Fatal(err)
	}
	const sent = 200
	body := strings.Repeat("x", 1<<20)
	for range sent {
		r.Add(entry(r, "k", body))
	}
	if full.Load() == 0 {
		t.Error("200 MiB were queued")
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.Add(entry(r, "k", "late"))
	if want := fmt.Sprintf("[]interface {}{%d}", sent+1-dropped.Load()); rows(t, path, "SELECT count(*) FROM req_log") != want {
		t.Errorf("rows %s, dropped %d of %d", rows(t, path, "SELECT count(*) FROM req_log"), dropped.Load(), sent+1)
	}
}

// An entry that the file does not take is lost alone, not with the batch that it
// waited in.
func TestEntryThatIsNotTakenIsLostAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day.db")
	var dropped []string // by the writer alone
	r, err := recorder.Open(t.Context(), path, nil, func(n int, err error) { dropped = append(dropped, fmt.Sprint(n, err)) })
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil { // what is added now waits, and is written together
		t.Fatal(err)
	}
	r.Add(entry(r, "first", "x"))
	for i := range 10 {
		e := entry(r, fmt.Sprint(i), "x")
		if i == 3 || i == 7 {
			e.Seq = 2 // taken
		}
		r.Add(e)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, path, "SELECT count(*), count(DISTINCT idem_key) FROM req_log WHERE idem_key NOT IN ('3', '7')"); got != "[]interface {}{9, 9}" {
		t.Errorf("rows %s", got)
	}
	if len(dropped) != 1 || !strings.HasPrefix(dropped[0], "2 ") || !strings.Contains(dropped[0], "request 2") {
		t.Errorf("dropped %q", dropped)
	}
}

func TestFilesThatAreNoRecord(t *testing.T) {
	dir := t.TempDir()
	if _, err := recorder.Open(t.Context(), dir, nil, nil); err == nil {
		t.Error("a directory was opened")
	}
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", "file:"+other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE req_log (x)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := recorder.Open(t.Context(), other, nil, nil); err == nil {
		t.Error("somebody else's table was taken for ours")
	}
	if got := rows(t, other, "SELECT name, (SELECT journal_mode FROM pragma_journal_mode) FROM sqlite_schema"); got != `[]interface {}{"req_log", "delete"}` {
		t.Errorf("it was changed: %s", got)
	}
}
