package replay

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"idem/analysis"
	"idem/engine"
)

// day is an incident under construction.
type day struct {
	accounts  map[string]int64
	requests  []reqRow
	transfers []v1Row
}

type reqRow struct {
	seq              int64
	at               string
	client, endpoint string
	key              any // nil for NULL
	body             string
	durationMS       any
	status           any
}

type v1Row struct {
	id       string
	seq      any
	src, dst string
	amount   any
	currency string
	at       string
}

var start = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)

// clockTime is the day's start plus an offset, as a log has it.
func clockTime(d time.Duration) string { return start.Add(d).Format(time.RFC3339Nano) }

func payment(src, dst string, amount int64) string {
	return fmt.Sprintf(`{"src":%q,"dst":%q,"amount":%d,"currency":"KRW"}`, src, dst, amount)
}

// pay adds a request of client c that v1 executed.
func (d *day) pay(at time.Duration, key, body string, durationMS int, amount int64) *reqRow {
	r := d.ask(at, key, body, durationMS)
	d.moved(r.seq, amount)
	return r
}

// ask adds a request that moved nothing.
func (d *day) ask(at time.Duration, key any, body string, durationMS int) *reqRow {
	d.requests = append(d.requests, reqRow{seq: int64(len(d.requests) + 1), at: clockTime(at),
		client: "c", endpoint: "/v1/transfers", key: key, body: body, durationMS: durationMS})
	return &d.requests[len(d.requests)-1]
}

func (d *day) moved(seq any, amount int64) {
	d.transfers = append(d.transfers, v1Row{id: fmt.Sprintf("V%03d", len(d.transfers)+1), seq: seq,
		src: "a", dst: "b", amount: amount, currency: "KRW", at: clockTime(time.Duration(len(d.transfers)) * time.Second)})
}

func (d *day) write(t testing.TB, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(q string, args ...any) {
		if _, err := db.Exec(q, args...); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	exec(`CREATE TABLE account (acct_id TEXT PRIMARY KEY, holder TEXT, balance INTEGER);
		CREATE TABLE req_log (seq INTEGER PRIMARY KEY, received_at TEXT, client_id TEXT, endpoint TEXT, idem_key TEXT, body TEXT, duration_ms INTEGER, status INTEGER);
		CREATE TABLE transfer_v1 (transfer_id TEXT, seq INTEGER, idem_key TEXT, src TEXT, dst TEXT, amount, currency TEXT, created_at TEXT)`)
	exec("BEGIN")
	for id, balance := range d.accounts {
		exec("INSERT INTO account VALUES (?, 'h', ?)", id, balance)
	}
	keys := map[int64]any{}
	for _, r := range d.requests {
		keys[r.seq] = r.key
		exec("INSERT INTO req_log VALUES (?,?,?,?,?,?,?,?)", r.seq, r.at, r.client, r.endpoint, r.key, r.body, r.durationMS, r.status)
	}
	for _, v := range d.transfers {
		seq, _ := v.seq.(int64)
		exec("INSERT INTO transfer_v1 VALUES (?,?,?,?,?,?,?,?)", v.id, v.seq, keys[seq], v.src, v.dst, v.amount, v.currency, v.at)
	}
	exec("COMMIT")
}

// play opens the day for replay under a policy.
func (d *day) play(t testing.TB, policy engine.Policy) *Player {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "idem.db")
	d.write(t, path)
	return open(t, path, policy)
}

func open(t testing.TB, path string, policy engine.Policy) *Player {
	t.Helper()
	in, err := analysis.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(context.Background(), in, policy, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); in.Close() })
	return p
}

// through runs the day to its end and gives its result.
func (p *Player) through(t testing.TB) Result {
	t.Helper()
	ctx := context.Background()
	if err := p.RunTo(ctx, p.Total(), nil, nil); err != nil {
		t.Fatal(err)
	}
	dup, err := p.in.Duplicates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Result(ctx, dup)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// classes are the classes of all steps as the end of the day sees them.
func (p *Player) classes(t testing.TB) []string {
	t.Helper()
	steps, err := p.Steps(context.Background(), 1, p.Total(), int(p.Total()))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range steps {
		text := s.Class.String()
		if s.Reason != "" && s.Class == Refused {
			text += " " + s.Reason
		}
		list = append(list, text)
	}
	return list
}
