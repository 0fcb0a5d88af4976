package damage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/analysis/verify"
	"idem/engine"
	"idem/engine/sqlitestore"
	"idem/engine/sqlitestore/sqlfile"
	"idem/fixtures/dayfile"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

const payments = 40

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// flips is how many bits are flipped in each file.
func flips(t *testing.T) int {
	text := os.Getenv("DAMAGE_FLIPS")
	if text == "" {
		return 150
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

func body(amount int) []byte {
	return fmt.Appendf(nil, `{"src":"A","dst":"B","amount":%d,"currency":"KRW"}`, amount)
}

// pay pays key i of a bank, or gets what it was answered. A transfer's name ends
// in the try that made it.
func pay(s engine.Store, bank string, i int, try string) (engine.Reply, error) {
	ctx, p := context.Background(), engine.DefaultPolicy()
	c, err := p.Claim(engine.Request{ClientID: "c", Endpoint: "/t", Key: fmt.Sprint(bank, i), Body: body(i + 1)}, now)
	if err != nil {
		return engine.Reply{}, err
	}
	v, err := s.Claim(ctx, c, p)
	if err != nil || v.Outcome != engine.Fresh {
		return v.Record.Reply, err
	}
	order, _, err := engine.ParseOrder(body(i + 1))
	if err != nil {
		return engine.Reply{}, err
	}
	r, _, err := s.Complete(ctx, engine.Completion{Key: c.Key, Fence: v.Record.Fence, Now: now}, p,
		func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
			return engine.Pay(ctx, tx, order, fmt.Sprint("T", bank, i, try), now)
		})
	return r.Reply, err
}

// open opens a bank of a name, with n payments.
func open(tb testing.TB, path, name string, n int) *sqlitestore.Store {
	tb.Helper()
	ctx := context.Background()
	s, err := sqlitestore.Open(ctx, path, sqlitestore.Options{})
	must(tb, err)
	must(tb, s.Update(ctx, func(tx engine.Tx) error {
		if err := tx.OpenAccount(ctx, engine.Account{ID: "A", Holder: "a", Balance: 1_000_000}); err != nil {
			return err
		}
		return tx.OpenAccount(ctx, engine.Account{ID: "B", Holder: "b"})
	}))
	for i := range n {
		_, err := pay(s, name, i, "")
		must(tb, err)
	}
	return s
}

// bank is the database of a payment API, at rest.
func bank(tb testing.TB) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "bank.db")
	must(tb, open(tb, path, "k", payments).Close())
	return read(tb, path)
}

func incident(tb testing.TB) []byte {
	tb.Helper()
	return read(tb, dayfile.Lab(tb))
}

// day is the day.db of a replay.
func day(tb testing.TB) []byte {
	tb.Helper()
	ctx := context.Background()
	in, err := analysis.Open(ctx, dayfile.Lab(tb))
	must(tb, err)
	defer in.Close()
	p, err := replay.New(ctx, in, engine.DefaultPolicy(), tb.TempDir())
	must(tb, err)
	must(tb, p.RunTo(ctx, p.Total(), nil, nil))
	dup, err := in.Duplicates(ctx, nil)
	must(tb, err)
	_, err = p.Result(ctx, dup)
	must(tb, err)
	must(tb, p.Close())
	return read(tb, p.DayDB())
}

func read(tb testing.TB, path string) []byte {
	tb.Helper()
	text, err := os.ReadFile(path)
	must(tb, err)
	return text
}

// audit is what an audit with a kept head finds; told is true when it tells that
// something is wrong.
func audit(path string, kept *verify.Head) (head *verify.Head, told bool) {
	ctx := context.Background()
	f, err := analysis.OpenFile(ctx, path)
	if err != nil {
		return nil, true
	}
	defer f.Close()
	r, err := verify.Ledger(ctx, f, verify.Options{Now: now, Kept: kept})
	if err != nil || !r.Holds() {
		return nil, true
	}
	return r.Head, false
}

// money is each row that says whose money is where, read without the program.
func money(path string) (text string) {
	db, err := sqlfile.Open(sqlfile.URI(path), sqlfile.ReadOnly)
	if err != nil {
		return err.Error()
	}
	defer db.Close()
	for _, query := range []string{
		"SELECT acct_id, balance FROM account ORDER BY 1",
		"SELECT transfer_id, src, dst, amount, currency, created_at FROM transfer ORDER BY 1",
		"SELECT n, life, fence, transfer_id FROM transfer_claim ORDER BY 1",
	} {
		s, err := db.Query(context.Background(), query)
		if err != nil {
			return err.Error()
		}
		for s.Next() {
			for i := range s.Columns() {
				text += s.String(i) + "|"
			}
			text += "\n"
		}
		if err := s.Close(); err != nil {
			return err.Error()
		}
	}
	return text
}
