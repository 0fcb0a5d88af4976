package verify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"idem/analysis"
	"idem/analysis/verify"
	"idem/engine/pgstore"
	"idem/engine/pgstore/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// database makes the ledger of a payment API on Postgres, all of it sealed.
func database(tb testing.TB) (dsn string) {
	tb.Helper()
	dsn = pgtest.Database(tb)
	s, err := pgstore.Open(context.Background(), dsn, pgstore.Options{})
	must(tb, err)
	fill(tb, s)
	for n := -1; n != 0; { // in several batches
		n, err = s.Seal(context.Background(), 7)
		must(tb, err)
	}
	must(tb, s.Close())
	return dsn
}

func statements(tb testing.TB, dsn, text string) {
	tb.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	must(tb, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, text)
	must(tb, err)
}

// another makes a database like the one at dsn, which nobody uses meanwhile.
func another(tb testing.TB, dsn, name string) string {
	tb.Helper()
	from := strings.Split(strings.TrimPrefix(dsn, "postgres:///"), "?")[0]
	server := pgtest.Shared(tb)
	statements(tb, server.DSN("postgres"), "CREATE DATABASE "+name+" TEMPLATE "+from)
	tb.Cleanup(func() { statements(tb, server.DSN("postgres"), "DROP DATABASE "+name+" WITH (FORCE)") })
	return server.DSN(name)
}

func auditDatabase(tb testing.TB, dsn string, kept *verify.Head) *verify.Report {
	tb.Helper()
	r, err := verify.Database(context.Background(), dsn, verify.Options{Now: now, Kept: kept})
	must(tb, err)
	return r
}

// TestDatabaseHolds: the same payments make the same chain in a file, where each
// of them continues it, and on Postgres, where it follows in batches.
func TestDatabaseHolds(t *testing.T) {
	r := auditDatabase(t, database(t), nil)
	if text := violations(t, r); text != "" {
		t.Error(text)
	}
	for _, c := range r.Checks {
		if c.Rows == 0 || (c.Note != "" && c.Name != "claims" && c.Name != "pages") {
			t.Errorf("%s looked at %d rows: %s", c.Name, c.Rows, c.Note)
		}
	}
	file, err := audit(t, ledger(t), nil)
	must(t, err)
	if *r.Head != *file.Head {
		t.Errorf("the head on Postgres is %+v, that of the file %+v", r.Head, file.Head)
	}
}

// TestDatabaseDamage breaks the ledger on Postgres in each way once.
func TestDatabaseDamage(t *testing.T) {
	good := database(t)
	// What is edited behind the program's back need not mind its constraints.
	const free = "ALTER TABLE transfer_claim DROP CONSTRAINT transfer_claim_transfer_id_fkey; ALTER TABLE transfer_outside DROP CONSTRAINT transfer_outside_transfer_id_fkey;"
	i := 0
	for name, c := range map[string]struct{ statements, want string }{
		"amount edited":        {"UPDATE transfer SET amount = amount + 1 WHERE transfer_id = 'T3'", `chain: transfer "T3", place 4: it is not what was sealed`},
		"time edited":          {"UPDATE transfer SET created_at = '2026-03-02T09:00:01Z' WHERE transfer_id = 'T3'", `chain: transfer "T3", place 4: it is not what was sealed`},
		"account edited":       {`UPDATE transfer SET src = '\x41' WHERE transfer_id = 'T3'`, `chain: transfer "T3", place 4: it is not what was sealed`},
		"deleted":              {"DELETE FROM transfer WHERE transfer_id = 'T3'", `chain: transfer "T3", place 4: it was deleted`},
		"deleted with its tie": {"DELETE FROM transfer_claim WHERE transfer_id = 'T3'; DELETE FROM transfer WHERE transfer_id = 'T3'", `chain: place 4: 1 transfers are missing before transfer "T4", place 5`},
		"tail lost":            {"DELETE FROM transfer_claim WHERE place > 38; DELETE FROM transfer WHERE transfer_id IN ('T38','T39')", "chain: place 39: the last 2 transfers are missing"},
		"tail and head lost":   {"DELETE FROM transfer_claim WHERE place > 38; UPDATE chain_head SET n = 38", "chain: place 38: the chain's end has another hash"},
		"seal taken off":       {"UPDATE transfer_claim SET place = NULL, hash = NULL WHERE place = 4", `chain: place 4: 1 transfers are missing before transfer "T4", place 5`},
		"end forgotten":        {"DELETE FROM chain_head", "chain: chain_head: it is empty"},
		"hash cut":             {"UPDATE transfer_claim SET hash = 'x' WHERE place = 6", `chain: transfer "T5", place 6: its hash is damaged`},
		"inserted":             {"INSERT INTO transfer VALUES ('X', 'A', '7', 1, 'KRW', '')", `ties: transfer "X": no key's life made it`},
		"outside one deleted":  {"DELETE FROM transfer WHERE transfer_id = 'outside'", "ties: : 1 transfers stood outside of any key and 0 are left"},
		"balance edited":       {"UPDATE account SET balance = balance + 1 WHERE acct_id = '7'", `balances: account "7": it began with 0 and its transfers make that 825, and it holds 826`},
		"answer edited":        {`UPDATE idempotency_key SET body = replace(convert_from(body, 'UTF8'), ':4,', ':9,')::bytea WHERE idem_key = 'k3'`, `records: key "k3": its client was told of amount "9"`},
		"refusal edited":       {`UPDATE idempotency_key SET body = '{}' WHERE idem_key = 'poor'`, `checksums: key "poor": it is not what was stored, and a retry gets an error: its checksum differs`},
		"header edited":        {`UPDATE idempotency_key SET header = '[["A","b"]]' WHERE idem_key = 'k3'`, `checksums: key "k3": it is not what was stored`},
		"fingerprint edited":   {`UPDATE idempotency_key SET fingerprint = (SELECT fingerprint FROM idempotency_key WHERE idem_key = 'k3') WHERE idem_key = 'open'`, `checksums: key "open": it is not what was stored`},
		"token twice":          {"UPDATE idempotency_key SET fence = 9, attempt = 2 WHERE idem_key = 'k3'", "tokens: key k8: another record has the same token"},
		"token and attempt":    {"UPDATE idempotency_key SET attempt = 2 WHERE idem_key = 'k3'", "tokens: key k3: its token and its attempt do not agree"},
		"no counter":           {"DELETE FROM fence_counter", "tokens: fence_counter: it is empty"},
	} {
		i++
		t.Run(name, func(t *testing.T) {
			dsn := another(t, good, fmt.Sprint("damaged", i))
			statements(t, dsn, free+c.statements)
			if text := violations(t, auditDatabase(t, dsn, nil)); !strings.Contains(text, c.want) {
				t.Errorf("found\n%swant %s", text, c.want)
			}
		})
	}
}

// TestDatabaseKeptHead: an older state is whole in itself; the head that is kept
// elsewhere tells.
func TestDatabaseKeptHead(t *testing.T) {
	dsn := database(t)
	head := *auditDatabase(t, dsn, nil).Head
	statements(t, dsn, `DELETE FROM transfer_claim WHERE place = 40; DELETE FROM transfer WHERE transfer_id = 'T39'; DELETE FROM idempotency_key WHERE idem_key = 'k39';
		UPDATE account SET balance = balance + CASE acct_id WHEN '7' THEN -40 ELSE 40 END;
		UPDATE chain_head SET n = 39, hash = (SELECT hash FROM transfer_claim WHERE place = 39)`)
	if text := violations(t, auditDatabase(t, dsn, nil)); text != "" {
		t.Errorf("an older state is whole in itself, and found is\n%s", text)
	}
	if text := violations(t, auditDatabase(t, dsn, &head)); !strings.Contains(text, "place 40: the last 1 transfers of when the head was kept are missing") {
		t.Errorf("an older state was put back, and found is\n%s", text)
	}
}

// TestDatabaseThatIsNone: what cannot be audited is unreadable, and says so
// without the password.
func TestDatabaseThatIsNone(t *testing.T) {
	empty, newer := pgtest.Database(t), database(t)
	statements(t, newer, "INSERT INTO idem_migration (version_id, is_applied) VALUES (99, true)")
	for name, dsn := range map[string]string{
		"empty":         empty,
		"newer":         newer,
		"nobody there":  "postgres://idem:hunter2@127.0.0.1:1/x?connect_timeout=2",
		"no DSN":        "postgres://idem:hunter2@host:port/x",
		"of no setting": "postgres://idem:hunter2@127.0.0.1:1/x?sslmode=hunter2",
	} {
		_, err := verify.Database(context.Background(), dsn, verify.Options{Now: now})
		if !errors.Is(err, analysis.ErrUnreadable) || strings.Contains(err.Error(), "idem:hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSealingIsNobodysQueue: payments go on while a sealing holds the chain's
// end, another sealing leaves it alone, and the next one takes them all.
func TestSealingIsNobodysQueue(t *testing.T) {
	ctx, dsn := context.Background(), database(t)
	s, err := pgstore.Open(ctx, dsn, pgstore.Options{})
	must(t, err)
	defer s.Close()
	conn, err := pgx.Connect(ctx, dsn)
	must(t, err)
	defer conn.Close(ctx)
	held, err := conn.Begin(ctx)
	must(t, err)
	_, err = held.Exec(ctx, "SELECT n FROM chain_head FOR UPDATE")
	must(t, err)
	for i := range 10 {
		pay(t, s, fmt.Sprint("more", i), fmt.Sprint("M", i), 1)
	}
	if n, err := s.Seal(ctx, 100); n != 0 || err != nil {
		t.Errorf("a second sealing sealed %d, %v", n, err)
	}
	r := auditDatabase(t, dsn, nil)
	if chain := r.Checks[len(r.Checks)-1]; !r.Holds() || r.Head.N != payments || !strings.HasPrefix(chain.Note, "10 transfers are not sealed yet") {
		t.Errorf("an audit before the sealing: %+v", r)
	}
	must(t, held.Rollback(ctx))
	if n, err := s.Seal(ctx, 100); n != 10 || err != nil {
		t.Errorf("the next sealing sealed %d, %v", n, err)
	}
	if r := auditDatabase(t, dsn, nil); !r.Holds() || r.Head.N != payments+10 {
		t.Errorf("an audit after the sealing: %+v", r)
	}
}

// TestSealersMeet: servers pay and seal at once, and the chain has each transfer
// once.
func TestSealersMeet(t *testing.T) {
	const servers, each = 3, 30
	ctx, dsn := context.Background(), database(t)
	var stores [servers]*pgstore.Store
	for i := range stores {
		s, err := pgstore.Open(ctx, dsn, pgstore.Options{})
		must(t, err)
		defer s.Close()
		stores[i] = s
	}
	var running sync.WaitGroup
	sealed := make([]int, servers)
	for i, s := range stores {
		running.Go(func() {
			for k := range each {
				pay(t, s, fmt.Sprint("of ", i, k), fmt.Sprint("S", i, "-", k), 1)
			}
		})
		running.Go(func() {
			for range 4 * each {
				n, err := s.Seal(ctx, 5)
				if err != nil {
					t.Error(err)
				}
				sealed[i] += n
			}
		})
	}
	running.Wait()
	for n := -1; n != 0; {
		var err error
		n, err = stores[0].Seal(ctx, 100)
		must(t, err)
	}
	r := auditDatabase(t, dsn, nil)
	if text := violations(t, r); text != "" || r.Head.N != payments+servers*each {
		t.Errorf("%d transfers are sealed, and found is\n%s", r.Head.N, text)
	}
	t.Logf("sealed meanwhile: %v", sealed)
}
