package report

import (
	"context"
	"embed"
	"fmt"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine/sqlitestore/sqlfile"
)

//go:embed sql/*.sql
var queries embed.FS

// Contradiction: a figure of the result that day.db, the duplicate analysis or
// the result itself does not bear out. Nothing is written then.
type Contradiction struct {
	Figure string // what is counted
	Result string // as the replay has it
	Day    string // as the second count has it
}

func (c *Contradiction) Error() string {
	return fmt.Sprintf("check the report: %s is %s by the replay but %s by the second count; nothing was written. This is a defect of the program, please report it with both figures",
		c.Figure, c.Result, c.Day)
}

func agree(figure string, result, day any) error {
	a, b := fmt.Sprint(result), fmt.Sprint(day)
	if a == b {
		return nil
	}
	return &Contradiction{Figure: figure, Result: a, Day: b}
}

// openDay opens the replayed ledger for reading.
func openDay(path string) (*sqlfile.DB, error) {
	db, err := sqlfile.Open(sqlfile.URI(path, "mode=ro"), sqlfile.ReadOnly)
	if err != nil {
		return nil, fmt.Errorf("open day.db: %w", err)
	}
	return db, nil
}

// rows runs the query of sql/NAME.sql and calls each for its rows.
func rows(ctx context.Context, db *sqlfile.DB, name string, each func(*sqlfile.Stmt) error) error {
	text, err := queries.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return err
	}
	stmt, err := db.Query(ctx, string(text))
	if err != nil {
		return fmt.Errorf("query %s: %w", name, err)
	}
	for stmt.Next() {
		if err := each(stmt); err != nil {
			stmt.Close()
			return err
		}
	}
	if err := stmt.Close(); err != nil {
		return fmt.Errorf("query %s: %w", name, err)
	}
	return nil
}

// check proves the figures of a day by a second way: the result by itself, the
// duplicate analysis, and queries on day.db that know nothing of the replay.
func check(ctx context.Context, day *Day) error {
	if err := checkSums(day); err != nil {
		return err
	}
	db, err := openDay(day.DayDB)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, prove := range []func(context.Context, *sqlfile.DB, *Day) error{
		checkTransfers, checkClasses, checkTies, checkBalances,
	} {
		if err := prove(ctx, db, day); err != nil {
			return err
		}
	}
	return nil
}

// checkSums compares the result with itself and with the duplicate analysis.
func checkSums(day *Day) error {
	res, dup := &day.Result, day.Duplicates
	for _, c := range []struct {
		figure       string
		result, twin int64
	}{
		{"the sum of the outcomes", res.Created + res.Replayed + res.Rejected() + res.Refused, res.Requests},
		{"the number of requests", res.Requests, dup.Requests},
		{"the number of running requests at the end", res.Running, 0},
		{"the number of transfers (one for each created request)", res.Created, res.Transfers},
	} {
		if err := agree(c.figure, c.result, c.twin); err != nil {
			return err
		}
	}
	if err := agreeMoney("v1_total", res.V1Total, dup.V1Total); err != nil {
		return err
	}
	return checkReconciliation(res)
}

// checkReconciliation: the terms add up to v1_total - total_transferred.
func checkReconciliation(res *replay.Result) error {
	avoided, err := res.Avoided()
	if err != nil {
		return fmt.Errorf("check the reconciliation: %w", err)
	}
	sum, err := res.Reconciliation.Sum()
	if err != nil {
		return fmt.Errorf("check the reconciliation: %w", err)
	}
	return agreeMoney("the sum of the reconciliation", sum, avoided)
}

// agreeMoney compares two sums; a currency that one lacks counts as 0.
func agreeMoney(figure string, result, day analysis.Money) error {
	for _, c := range currencies(result, day) {
		if err := agree(fmt.Sprintf("%s in %q", figure, c), result.Of(c), day.Of(c)); err != nil {
			return err
		}
	}
	return nil
}

func checkTransfers(ctx context.Context, db *sqlfile.DB, day *Day) error {
	var count int64
	var sum analysis.Money
	err := rows(ctx, db, "transfers", func(s *sqlfile.Stmt) error {
		count += s.Int(1)
		return sum.Add(s.String(0), s.Int(2))
	})
	if err != nil {
		return err
	}
	if err := agree("transfers", day.Result.Transfers, count); err != nil {
		return err
	}
	return agreeMoney("total_transferred", day.Result.Transferred, sum)
}

func checkClasses(ctx context.Context, db *sqlfile.DB, day *Day) error {
	counts := map[replay.Class]int64{}
	err := rows(ctx, db, "classes", func(s *sqlfile.Stmt) error {
		counts[replay.Class(s.Int(0))] = s.Int(1)
		return nil
	})
	if err != nil {
		return err
	}
	res := &day.Result
	for class, n := range []int64{
		replay.Running: 0, replay.Created: res.Created, replay.Replayed: res.Replayed,
		replay.InFlight: res.InFlight, replay.Mismatch: res.Mismatch, replay.Refused: res.Refused,
	} {
		class := replay.Class(class)
		if err := agree("the number of steps that are "+class.String(), n, counts[class]); err != nil {
			return err
		}
	}
	return nil
}

func checkTies(ctx context.Context, db *sqlfile.DB, day *Day) error {
	return rows(ctx, db, "ties", func(s *sqlfile.Stmt) error {
		for i, figure := range []string{
			"the number of transfers without a claim", "the number of claims without a transfer",
			"the number of created requests that are not tied to their own transfer",
		} {
			if err := agree(figure, 0, s.Int(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkBalances: each balance is its start plus its transfers.
func checkBalances(ctx context.Context, db *sqlfile.DB, day *Day) error {
	type account struct{ balance, net int64 }
	have := map[string]account{}
	err := rows(ctx, db, "balances", func(s *sqlfile.Stmt) error {
		// The halves are summed apart, so that no partial sum overflows; their
		// composition wraps around to the true value, which fits.
		have[s.String(0)] = account{s.Int(1), s.Int(2)<<32 + s.Int(3)}
		return nil
	})
	if err != nil {
		return err
	}
	accounts, err := day.Incident.Accounts(ctx)
	if err != nil {
		return fmt.Errorf("read accounts: %w", err)
	}
	for _, a := range accounts {
		got, ok := have[a.ID]
		if err := agree(fmt.Sprintf("the existence of account %q", a.ID), true, ok); err != nil {
			return err
		}
		if err := agree(fmt.Sprintf("the balance of account %q", a.ID), a.Balance+got.net, got.balance); err != nil {
			return err
		}
		delete(have, a.ID)
	}
	return agree("the number of accounts beyond the incident's", 0, len(have))
}
