package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"idem/analysis"
	"idem/analysis/printable"
	"idem/analysis/replay"
	"idem/engine"
	"idem/engine/sqlitestore/sqlfile"
	"idem/fixtures/dayfile"
)

// Each figure of the result, one off, is found; the error names both.
func TestCheckFindsAWrongResult(t *testing.T) {
	for name, spoil := range map[string]func(d *Day){
		"transfers":  func(d *Day) { d.Result.Transfers++; d.Result.Created++; d.Result.Replayed-- },
		"replayed":   func(d *Day) { d.Result.Replayed++; d.Result.Refused-- },
		"in flight":  func(d *Day) { d.Result.InFlight++; d.Result.Mismatch-- },
		"the sum of": func(d *Day) { d.Result.Refused++ },
		"requests":   func(d *Day) { d.Duplicates.Requests++ },
		"v1_total":   func(d *Day) { d.Duplicates.V1Total = money(t, 1, "KRW") },
		"transferred": func(d *Day) {
			d.Result.Transferred = money(t, 102_827_801, "KRW")
			d.Result.V1Total = money(t, 125_902_001, "KRW")
			d.Duplicates.V1Total = d.Result.V1Total
		},
		"reconciliation": func(d *Day) { d.Result.Stopped = money(t, 1, "KRW") },
		"other currency": func(d *Day) { d.Result.OnlyReplay = money(t, 1, "USD") },
		"running":        func(d *Day) { d.Result.Running = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			day := labDay(t)
			spoil(&day)
			_, err := Prepare(t.Context(), day)
			var c *Contradiction
			if !errors.As(err, &c) {
				t.Fatalf("got %v", err)
			}
			if c.Result == c.Day || !strings.Contains(err.Error(), c.Result) || !strings.Contains(err.Error(), c.Day) {
				t.Errorf("the error does not name two figures: %v", err)
			}
		})
	}
}

// Each way in which day.db can differ from the replay is found.
func TestCheckFindsAWrongLedger(t *testing.T) {
	for name, c := range map[string]struct{ sql, figure string }{
		"transfer gone":  {"DELETE FROM transfer_claim WHERE transfer_id = 'T1'; DELETE FROM transfer WHERE transfer_id = 'T1'", "transfers"},
		"transfer added": {"INSERT INTO transfer SELECT 'X', src, dst, amount, currency, created_at FROM transfer LIMIT 1", "transfers"},
		"amount":         {"UPDATE transfer SET amount = amount + 1 WHERE transfer_id = 'T1'", "total_transferred"},
		"currency":       {"UPDATE transfer SET currency = 'USD' WHERE transfer_id = 'T1'", "total_transferred"},
		"class":          {"UPDATE step SET class = 5 WHERE class = 2 AND n = (SELECT min(n) FROM step WHERE class = 2)", "replayed"},
		"step gone":      {"DELETE FROM step WHERE n = 1", "created"},
		"tie gone":       {"DELETE FROM transfer_claim WHERE transfer_id = 'T1'", "without a claim"},
		"tie of nothing": {"INSERT INTO transfer_claim VALUES (999999, 1, 'nowhere', 999999, x'')", "without a transfer"},
		"ties exchanged": {"UPDATE transfer_claim SET life = -life WHERE transfer_id IN ('T1', 'T2')", "not tied"},
		"tie's fence":    {"UPDATE transfer_claim SET fence = fence + 1000 WHERE transfer_id = 'T1'", "not tied"},
		"steps exchanged": {"CREATE TEMP TABLE x AS SELECT n, life, fence, moved FROM step WHERE n IN (1, 2);" +
			"UPDATE step SET (life, fence, moved) = (SELECT life, fence, moved FROM x WHERE x.n = 3 - step.n) WHERE n IN (1, 2)", "not tied"},
		"step's amount":    {"UPDATE step SET moved = moved + 1 WHERE n = 1", "not tied"},
		"balance":          {"UPDATE account SET balance = balance + 1 WHERE acct_id = 'acc-03'", `"acc-03"`},
		"transfer's route": {"UPDATE transfer SET src = dst, dst = src WHERE transfer_id = 'T1'", "the balance of account"},
		"account added":    {"INSERT INTO account VALUES ('new', '', 0)", "beyond the incident's"},
		"account gone":     {"DELETE FROM account WHERE acct_id = 'acc-03'", "the existence of"},
	} {
		t.Run(name, func(t *testing.T) {
			day := labDay(t)
			db := writable(t, day.DayDB, sqlfile.ReadWrite)
			execute(t, db, "PRAGMA foreign_keys = OFF; "+c.sql)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			_, err := Prepare(t.Context(), day)
			var contradiction *Contradiction
			if !errors.As(err, &contradiction) || !strings.Contains(contradiction.Figure, c.figure) {
				t.Errorf("got %v, want a contradiction about %s", err, c.figure)
			}
		})
	}
}

// A day to which something was done passes the checks like any other, under
// each policy.
func TestCheckPassesInjectedDays(t *testing.T) {
	path := dayfile.Lab(t)
	short := engine.DefaultPolicy()
	short.Lease, short.Retention = time.Second, 2*time.Second
	for _, policy := range []engine.Policy{engine.DefaultPolicy(), engine.HTTPPolicy(), short} {
		for _, o := range []replay.Options{
			{CrashAt: []int64{68, 17}}, {StallAt: []int64{68, 73}, NoRenewal: true}, {RaceAt: []int64{1, 31, 63}},
		} {
			r := prepared(t, replayed(t, path, policy, o))
			got, err := r.Markdown(English)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(got), "refused 0") {
				t.Errorf("a request without an answer has a status:\n%s", got)
			}
		}
	}
}

// Each term of the reconciliation that is not zero is told, in the report and in
// result.json: a term that the replay adds must get its place here.
func TestEveryTermIsTold(t *testing.T) {
	r := oneCurrency(t)
	rec := &r.day.Result.Reconciliation
	for i, m := range []*analysis.Money{&rec.Stopped, &rec.RefusedV1, &rec.UnusableV1, &rec.Unmatched, &rec.AmountDiffers, &rec.TakenBack, &rec.OnlyReplay} {
		*m = money(t, 7_001+i, "KRW")
	}
	text, err := r.Markdown(English)
	if err != nil {
		t.Fatal(err)
	}
	file, err := ResultJSON(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range rec.Terms() {
		n := term.Sum.Of("KRW")
		if n == 0 || !strings.Contains(string(text), "| "+printable.Digits(n)+" KRW |") || strings.Count(string(file), fmt.Sprintf(": %d", n)) != 2 {
			t.Errorf("%q, %d, is not told", term.Name, n)
		}
	}
}

func TestCheckWithoutALedger(t *testing.T) {
	day := labDay(t)
	day.DayDB += ".gone"
	if _, err := Prepare(t.Context(), day); err == nil {
		t.Error("prepared a report without its ledger")
	}
}
