package verify_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/analysis/verify"
	"idem/engine"
	"idem/engine/sqlitestore"
	"idem/fixtures"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// payments is how many transfers ledger makes.
const payments = 40

// ledger makes the database of a payment API: payments, a refusal, a claim left
// behind and one transfer outside of any key.
func ledger(tb testing.TB) string {
	tb.Helper()
	ctx, path := context.Background(), filepath.Join(tb.TempDir(), "ledger.db")
	s, err := sqlitestore.Open(ctx, path, sqlitestore.Options{})
	must(tb, err)
	fill(tb, s)
	must(tb, s.Close())
	return path
}

// fill makes what ledger promises in a store.
func fill(tb testing.TB, s engine.Store) {
	tb.Helper()
	ctx := context.Background()
	must(tb, s.Update(ctx, func(tx engine.Tx) error {
		return errors.Join(
			tx.OpenAccount(ctx, engine.Account{ID: "A", Holder: "a", Balance: 10_000}),
			tx.OpenAccount(ctx, engine.Account{ID: "7", Integer: true, Balance: 0}),
			tx.Post(ctx, engine.Transfer{ID: "outside", Src: "A", Dst: "7", Amount: 5, Currency: "KRW", CreatedAt: now}))
	}))
	for i := range payments {
		pay(tb, s, fmt.Sprint("k", i), fmt.Sprint("T", i), int64(i+1))
	}
	pay(tb, s, "poor", "never", 1_000_000)
	_, err := s.Claim(ctx, claim(tb, "open", 1), engine.DefaultPolicy())
	must(tb, err)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func body(amount int64) []byte {
	return fmt.Appendf(nil, `{"src":"A","dst":7,"amount":%d,"currency":"KRW"}`, amount)
}

func claim(tb testing.TB, key string, amount int64) engine.Claim {
	c, err := engine.DefaultPolicy().Claim(engine.Request{ClientID: "c", Endpoint: "/t", Key: key, Body: body(amount)}, now)
	must(tb, err)
	return c
}

func pay(tb testing.TB, s engine.Store, key, id string, amount int64) {
	ctx, p := context.Background(), engine.DefaultPolicy()
	c := claim(tb, key, amount)
	v, err := s.Claim(ctx, c, p)
	must(tb, err)
	order, _, err := engine.ParseOrder(body(amount))
	must(tb, err)
	_, settled, err := s.Complete(ctx, engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: now}, p,
		func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			return engine.Pay(ctx, tx, order, id, now)
		})
	if err != nil || settled != engine.Kept {
		tb.Fatal(settled, err)
	}
}

// day replays the lab's day.
func day(tb testing.TB) string {
	tb.Helper()
	ctx, dir := context.Background(), tb.TempDir()
	lab := filepath.Join(dir, "idem.db")
	must(tb, fixtures.Generate(ctx, lab, fixtures.Lab()))
	in, err := analysis.Open(ctx, lab)
	must(tb, err)
	defer in.Close()
	p, err := replay.New(ctx, in, engine.DefaultPolicy(), dir)
	must(tb, err)
	must(tb, p.RunTo(ctx, p.Total(), nil, nil))
	dup, err := in.Duplicates(ctx, nil)
	must(tb, err)
	_, err = p.Result(ctx, dup)
	must(tb, err)
	must(tb, p.Close())
	return p.DayDB()
}

func copied(tb testing.TB, path string) string {
	tb.Helper()
	text, err := os.ReadFile(path)
	must(tb, err)
	to := filepath.Join(tb.TempDir(), "copy.db")
	must(tb, os.WriteFile(to, text, 0o600))
	return to
}

func audit(tb testing.TB, path string, kept *verify.Head) (*verify.Report, error) {
	tb.Helper()
	ctx := context.Background()
	f, err := analysis.OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return verify.Ledger(ctx, f, verify.Options{Now: now, Kept: kept})
}

// found is what an audit found, a line for each violation.
func found(tb testing.TB, path string, kept *verify.Head) string {
	tb.Helper()
	r, err := audit(tb, path, kept)
	must(tb, err)
	return violations(tb, r)
}

func violations(tb testing.TB, r *verify.Report) string {
	tb.Helper()
	var b strings.Builder
	for _, c := range r.Checks {
		for _, v := range c.Violations {
			fmt.Fprintf(&b, "%s: %s: %s\n", c.Name, v.Row, v.Why)
		}
		if c.Holds() != (len(c.Violations) == 0) {
			tb.Errorf("%s has %d violations and lists %d", c.Name, c.Count, len(c.Violations))
		}
	}
	if r.Holds() != (b.Len() == 0) {
		tb.Errorf("the report holds: %v, with\n%s", r.Holds(), b.String())
	}
	return b.String()
}

func execute(tb testing.TB, path, statements string) {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	must(tb, err)
	defer db.Close()
	_, err = db.Exec("PRAGMA writable_schema = ON; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;" + statements)
	must(tb, err)
}

func TestWhatHolds(t *testing.T) {
	for name, path := range map[string]string{"ledger": ledger(t), "day": day(t)} {
		r, err := audit(t, path, nil)
		must(t, err)
		if text := found(t, path, nil); text != "" {
			t.Errorf("%s:\n%s", name, text)
		}
		for _, c := range r.Checks {
			if c.Rows == 0 && (c.Name != "claims" || name != "day") {
				t.Errorf("%s: %s looked at nothing", name, c.Name)
			}
		}
		kept := *r.Head
		if kept.N == 0 || found(t, path, &kept) != "" {
			t.Errorf("%s: its own head %+v is not its head", name, kept)
		}
	}
}

// TestDamage breaks a ledger in each way once. The check that is there for it
// must tell, and name the row.
func TestDamage(t *testing.T) {
	good := ledger(t)
	for name, c := range map[string]struct{ statements, want string }{
		"amount edited":         {"UPDATE transfer SET amount = amount + 1 WHERE transfer_id = 'T3'", `chain: transfer "T3", place 4: it is not what was sealed`},
		"time edited":           {"UPDATE transfer SET created_at = '2026-03-02T09:00:01Z' WHERE transfer_id = 'T3'", `chain: transfer "T3", place 4: it is not what was sealed`},
		"currency edited":       {"UPDATE transfer SET currency = 'USD' WHERE transfer_id = 'T3'", `records: key "k3": its client was told of currency "KRW", and transfer "T3" has "USD"`},
		"answer edited":         {"UPDATE idempotency_key SET body = CAST(replace(CAST(body AS TEXT), ':4,', ':9,') AS BLOB) WHERE idem_key = 'k3'", `records: key "k3": its client was told of amount "9"`},
		"refusal edited":        {"UPDATE idempotency_key SET body = x'7b7d' WHERE idem_key = 'poor'", `checksums: key "poor": it is not what was stored, and a retry gets an error: its checksum differs`},
		"refusal lost":          {"UPDATE idempotency_key SET reason = NULL WHERE idem_key = 'poor'", `checksums: key "poor": it is not what was stored, and a retry gets an error: its reply is not whole`},
		"header damaged":        {"UPDATE idempotency_key SET header = '[[' WHERE idem_key = 'k3'", `checksums: key "k3": it is not what was stored, and a retry gets an error: stored data is damaged: header`},
		"fingerprint edited":    {"UPDATE idempotency_key SET fingerprint = (SELECT fingerprint FROM idempotency_key WHERE idem_key = 'k3') WHERE idem_key = 'open'", `checksums: key "open": it is not what was stored`},
		"checksum edited":       {"UPDATE idempotency_key SET checksum = x'' WHERE idem_key = 'k3'", `checksums: key "k3": it is not what was stored`},
		"renamed":               {"UPDATE transfer SET transfer_id = 'X3' WHERE transfer_id = 'T3'", `ties: transfer "T3": its transfer is gone`},
		"deleted":               {"DELETE FROM transfer WHERE transfer_id = 'T3'", `chain: transfer "T3", place 4: it was deleted`},
		"deleted with its tie":  {"DELETE FROM transfer WHERE transfer_id = 'T3'; DELETE FROM transfer_claim WHERE transfer_id = 'T3'", `chain: place 4: 1 transfers are missing before transfer "T4", place 5`},
		"tail lost":             {"DELETE FROM transfer WHERE transfer_id IN ('T38','T39'); DELETE FROM transfer_claim WHERE n > 38", "chain: place 39: the last 2 transfers are missing"},
		"tail and head lost":    {"DELETE FROM transfer_claim WHERE n > 38; UPDATE chain_head SET n = 38", "chain: place 38: the chain's end has another hash"},
		"end forgotten":         {"DELETE FROM chain_head", "chain: chain_head: it is empty"},
		"end put back":          {"UPDATE chain_head SET n = 10", "chain: place 11: 30 transfers stand after the chain's end"},
		"inserted":              {"INSERT INTO transfer VALUES ('X', 'A', 7, 1, 'KRW', '2026-03-02T09:00:00Z')", `ties: transfer "X": no key's life made it`},
		"inserted with a tie":   {"INSERT INTO transfer VALUES ('X', 'A', 7, 1, 'KRW', ''); INSERT INTO transfer_claim VALUES (900, 900, 'X', 41, zeroblob(32)); UPDATE chain_head SET n = 41, hash = zeroblob(32)", `chain: transfer "X", place 41: it is not what was sealed`},
		"inserted in between":   {"INSERT INTO transfer VALUES ('X', 'A', 7, 1, 'KRW', ''); INSERT INTO transfer_claim VALUES (900, 900, 'X', 5, zeroblob(32))", "its place in the chain is taken by another"},
		"hash cut":              {"UPDATE transfer_claim SET hash = x'00' WHERE n = 6", `chain: transfer "T5", place 6: its hash is damaged`},
		"outside one deleted":   {"DELETE FROM transfer WHERE transfer_id = 'outside'", "ties: : 1 transfers stood outside of any key and 0 are left"},
		"tie of nothing":        {"INSERT INTO transfer_claim VALUES (900, 900, 'X', 41, zeroblob(32))", `ties: transfer "X": its transfer is gone`},
		"balance edited":        {"UPDATE account SET balance = balance + 1 WHERE acct_id = 7", `balances: account "7": it began with 0 and its transfers make that 825, and it holds 826`},
		"balance below zero":    {"UPDATE account SET balance = -1 WHERE acct_id = 'A'", `balances: account "A": it began with 10000 and is below zero: -1`},
		"account gone":          {"DELETE FROM account WHERE acct_id = 7", `balances: account "7": it was opened and is gone`},
		"paid to nowhere":       {"UPDATE transfer SET dst = 'Z' WHERE transfer_id = 'T3'", `money: transfer "T3": the account it reaches is not there`},
		"paid from nowhere":     {"UPDATE transfer SET src = 'Z' WHERE transfer_id = 'T3'", `money: transfer "T3": the account it leaves is not there`},
		"paid to itself":        {"UPDATE transfer SET dst = src WHERE transfer_id = 'T3'", `money: transfer "T3": it goes from an account to itself`},
		"amount of nothing":     {"UPDATE transfer SET amount = 0 WHERE transfer_id = 'T3'", `money: transfer "T3": its amount is not above zero`},
		"success without":       {"DELETE FROM transfer WHERE transfer_id = 'T3'; DELETE FROM transfer_claim WHERE transfer_id = 'T3'", `records: key "k3": it was answered 201 with transfer "T3", and its life made none`},
		"refusal with":          {"UPDATE idempotency_key SET status = 402 WHERE idem_key = 'k3'", `records: key "k3": it was answered 402, and transfer "T3" is made`},
		"another success":       {"UPDATE idempotency_key SET status = 203 WHERE idem_key = 'k3'", `records: key "k3": transfer "T3" is made and told, and it was answered 203`},
		"in progress with":      {"UPDATE idempotency_key SET state = 'in_progress', completed_at = NULL WHERE idem_key = 'k3'", `records: key "k3": it is in progress, and transfer "T3" is made`},
		"no state":              {"UPDATE idempotency_key SET state = 'done' WHERE idem_key = 'k3'", `records: key "k3": it is in no state`},
		"another claim's":       {"UPDATE transfer_claim SET fence = fence + 1 WHERE transfer_id = 'T3'", `records: key "k3": transfer "T3" was made under token 5, and the answer under 4`},
		"token beyond":          {"UPDATE fence_counter SET last = 10", "tokens: key k10: its token was never given out"},
		"token twice":           {"UPDATE idempotency_key SET fence = 9, attempt = 2 WHERE idem_key = 'k3'", "tokens: key k8: another record has the same token"},
		"token backwards":       {"UPDATE idempotency_key SET fence = life - 1 WHERE idem_key = 'k3'", "tokens: key k3: its token is older"},
		"no counter":            {"DELETE FROM fence_counter", "tokens: fence_counter: it is empty"},
		"fingerprint cut":       {"UPDATE idempotency_key SET fingerprint = x'01' WHERE idem_key = 'open'", `claims: key "open": no retry can take it`},
		"lease without end":     {"UPDATE idempotency_key SET lease_until = 9223372036854775807 WHERE idem_key = 'open'", `claims: key "open": its lease ends 2262-`},
		"lease before its time": {"UPDATE idempotency_key SET lease_until = claimed_at - 1 WHERE idem_key = 'open'", `claims: key "open": its lease ended before it began`},
		"a table gone":          {"DROP TABLE account_opened; DROP TABLE chain_head; UPDATE account SET balance = 'x' WHERE acct_id = -1; DELETE FROM transfer_claim WHERE n = 1", "records: key \"k0\": it was answered 201"},
	} {
		t.Run(name, func(t *testing.T) {
			path := copied(t, good)
			execute(t, path, c.statements)
			if text := found(t, path, nil); !strings.Contains(text, c.want) {
				t.Errorf("found\n%swant %s", text, c.want)
			}
		})
	}
}

// TestDayDamage: what a replay journals must agree with its ledger.
func TestDayDamage(t *testing.T) {
	good := day(t)
	for name, c := range map[string]struct{ statements, want string }{
		"step's amount":      {"UPDATE step SET moved = moved + 1 WHERE n = 1", "steps: step 1: the transfer has another amount"},
		"step of another":    {"UPDATE step SET life = 2, fence = 2 WHERE n = 1", "steps: step 1: its life made transfer T2"},
		"step without":       {"UPDATE step SET life = 99999 WHERE n = 1", "steps: step 1: it was created and its life made no transfer"},
		"step that runs":     {"UPDATE step SET class = 0 WHERE n = 1", "steps: step 1: it still runs"},
		"transfer of no one": {"UPDATE step SET class = 2 WHERE n = 1", `steps: transfer "T1": no created request`},
		"claims exchanged":   {"UPDATE step SET fence = fence + 1 WHERE n = 1", "steps: step 1: another claim of its life"},
		"transfer of no key": {"DELETE FROM transfer_claim WHERE transfer_id = 'T1'", `ties: transfer "T1": no key's life made it`},
	} {
		t.Run(name, func(t *testing.T) {
			path := copied(t, good)
			execute(t, path, c.statements)
			if text := found(t, path, nil); !strings.Contains(text, c.want) {
				t.Errorf("found\n%swant %s", text, c.want)
			}
		})
	}
}

// TestAnyEditIsFound changes any column of any transfer: the first row that the
// chain tells is that one.
func TestAnyEditIsFound(t *testing.T) {
	good := ledger(t)
	edits := []string{"src = src || ' '", "dst = dst + 1", "amount = amount + 1", "currency = currency || ''' '", "created_at = created_at || 'Z'"}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, payments-1).Draw(rt, "transfer")
		edit := rapid.SampledFrom(edits).Draw(rt, "edit")
		path := copied(t, good)
		execute(t, path, fmt.Sprintf("UPDATE transfer SET %s WHERE transfer_id = 'T%d'", strings.ReplaceAll(edit, "''' '", "' '"), n))
		text := found(t, path, nil)
		if first := fmt.Sprintf("chain: transfer \"T%d\", place %d: it is not", n, n+1); !strings.Contains(text, first) || strings.Count(text, "chain:") != 1 {
			rt.Fatalf("found\n%swant %s alone", text, first)
		}
	})
}

// TestKeptHead: who can rewrite the file can rewrite its chain, and put back an
// older state of it; not so who cannot rewrite the head that is kept elsewhere.
func TestKeptHead(t *testing.T) {
	path := ledger(t)
	r, err := audit(t, path, nil)
	must(t, err)
	head, err := verify.ParseHead(r.Head.Text())
	if err != nil || head != *r.Head {
		t.Fatalf("%q reads as %+v, %v", r.Head.Text(), head, err)
	}
	older := copied(t, path)
	execute(t, older, `DELETE FROM transfer WHERE transfer_id = 'T39'; UPDATE account SET balance = balance + iif(acct_id = 7, -40, 40);
		DELETE FROM idempotency_key WHERE idem_key = 'k39'; DELETE FROM transfer_claim WHERE n = 40;
		UPDATE chain_head SET n = 39, hash = (SELECT hash FROM transfer_claim WHERE n = 39)`)
	if text := found(t, older, nil); text != "" {
		t.Errorf("an older state is whole in itself, and found is\n%s", text)
	}
	if text := found(t, older, &head); !strings.Contains(text, "place 40: the last 1 transfers of when the head was kept are missing") {
		t.Errorf("an older state was put back, and found is\n%s", text)
	}
	head.Seal[5] ^= 1
	if text := found(t, path, &head); !strings.Contains(text, `transfer "T39", place 40: when the head was kept`) {
		t.Errorf("the chain was rewritten, and found is\n%s", text)
	}
	for _, text := range []string{"", "x", "idem-chain-1 5", "idem-chain-1 -5 " + head.Seal.String(), "idem-chain-1 5 00", head.Text() + "more", "idem-chain-2" + head.Text()[12:]} {
		if h, err := verify.ParseHead(text); !errors.Is(err, verify.ErrHead) {
			t.Errorf("%q reads as %+v, %v", text, h, err)
		}
	}
}

// TestOlderVersion: a file without a chain is checked for the rest.
func TestOlderVersion(t *testing.T) {
	path := ledger(t)
	execute(t, path, `ALTER TABLE idempotency_key DROP COLUMN checksum; DROP TABLE chain_head; DROP TABLE account_opened; ALTER TABLE transfer_claim DROP COLUMN n;
		ALTER TABLE transfer_claim DROP COLUMN hash; UPDATE idem_schema SET version = 1`)
	r, err := audit(t, path, nil)
	must(t, err)
	notes := 0
	for _, c := range r.Checks {
		if c.Note != "" && c.Name != "claims" {
			notes++
		}
	}
	if !r.Holds() || r.Head != nil || notes != 4 {
		t.Errorf("an older file: %+v", r)
	}
	if text := found(t, path, &verify.Head{N: 3}); !strings.Contains(text, "chain: : a head of 3 transfers was kept") {
		t.Errorf("its chain was taken out, and found is\n%s", text)
	}
	execute(t, path, "UPDATE transfer SET amount = 1000 WHERE transfer_id = 'T3'")
	if text := found(t, path, nil); !strings.Contains(text, `records: key "k3"`) {
		t.Errorf("an edit in an older file: %s", text)
	}
}

// TestWithoutChecksum: a record that an older version wrote is counted, and no
// violation.
func TestWithoutChecksum(t *testing.T) {
	path := ledger(t)
	execute(t, path, "UPDATE idempotency_key SET checksum = NULL WHERE idem_key IN ('k3', 'open')")
	r, err := audit(t, path, nil)
	must(t, err)
	for _, c := range r.Checks {
		if c.Name == "checksums" && (c.Rows != payments+2 || c.Note != "2 of 42 records have no checksum: an older version made them") {
			t.Errorf("%d rows, note %q", c.Rows, c.Note)
		}
	}
	if !r.Holds() {
		t.Errorf("it is a violation: %+v", r)
	}
}

func TestNoLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	execute(t, path, "CREATE TABLE account (x)")
	if _, err := audit(t, path, nil); !errors.Is(err, analysis.ErrUnreadable) {
		t.Errorf("no ledger: %v", err)
	}
	execute(t, path, "CREATE TABLE transfer (x); CREATE TABLE transfer_claim (x); CREATE TABLE idempotency_key (x); CREATE TABLE fence_counter (x)")
	if r, err := audit(t, path, nil); err == nil && r.Holds() {
		t.Errorf("tables of another kind hold: %+v", r)
	}
}
