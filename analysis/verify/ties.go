package verify

import (
	"context"

	"idem/engine/sqlitestore/sqlfile"
)

// ties: transfer and transfer_claim are one to one, but for the transfers that
// are known to stand outside of any key.
func (a *audit) ties(ctx context.Context, c *Check) error {
	outside, known, err := a.outside(ctx)
	if err != nil {
		return err
	}
	var lonely Check
	err = a.rows(ctx, "lonely", func(s *sqlfile.Stmt) {
		lonely.fail(transferRow(s.String(0)), "no key's life made it")
	})
	if err != nil {
		return err
	}
	switch {
	case !known && lonely.Count > 0:
		c.Note = "transfers that no key's life made cannot be told from those that the ledger had before: an older version wrote it"
	case lonely.Count > outside:
		c.Violations, c.Count = lonely.Violations, lonely.Count-outside
	case lonely.Count < outside:
		c.fail("", "%d transfers stood outside of any key and %d are left", outside, lonely.Count)
	}
	for _, q := range []struct{ name, why string }{
		{"empty_ties", "its transfer is gone"},
		{"transfers_twice", "it is there more than once"},
		{"ties_twice", "more than one life of a key made it"},
	} {
		if err := a.rows(ctx, q.name, func(s *sqlfile.Stmt) { c.fail(transferRow(s.String(0)), "%s", q.why) }); err != nil {
			return err
		}
	}
	return a.query(ctx, "SELECT count(*) FROM transfer", func(s *sqlfile.Stmt) { c.Rows = s.Int(0) })
}

// outside is how many transfers no key's life made, by the file's own count. An
// older version did not count; a replay makes none.
func (a *audit) outside(ctx context.Context) (n int64, known bool, err error) {
	if !a.tables["chain_head"] {
		return 0, a.report.Day, nil
	}
	err = a.query(ctx, "SELECT untied FROM chain_head WHERE one = 1", func(s *sqlfile.Stmt) { n, known = s.Int(0), true })
	return n, known, err
}

// tokens: what was given out is counted, never twice the same.
func (a *audit) tokens(ctx context.Context, c *Check) error {
	order, why := "tokens_backwards", "its token is older than the life it belongs to"
	if a.copied {
		order, why = "tokens_first", "its token and its attempt do not agree"
	}
	for _, q := range []struct{ name, why string }{
		{"tokens_beyond", "its token was never given out, by the counter"},
		{"tokens_twice", "another record has the same token"},
		{order, why},
	} {
		if err := a.rows(ctx, q.name, func(s *sqlfile.Stmt) { c.fail(s.String(0), "%s", q.why) }); err != nil {
			return err
		}
	}
	counters := 0
	err := a.query(ctx, "SELECT last FROM fence_counter WHERE one = 1", func(s *sqlfile.Stmt) {
		counters++
		c.Rows = s.Int(0)
	})
	if err == nil && counters == 0 {
		c.fail("fence_counter", "it is empty: tokens would begin anew")
	}
	return err
}

// steps: the journal of a replayed day agrees with its ledger.
func (a *audit) steps(ctx context.Context, c *Check) error {
	err := a.rows(ctx, "steps", func(s *sqlfile.Stmt) {
		c.fail("step "+s.String(0), "%s", s.String(1))
	})
	if err != nil {
		return err
	}
	err = a.rows(ctx, "stepless", func(s *sqlfile.Stmt) {
		c.fail(transferRow(s.String(0)), "no created request of the day is its cause")
	})
	if err != nil {
		return err
	}
	return a.query(ctx, "SELECT count(*) FROM step", func(s *sqlfile.Stmt) { c.Rows = s.Int(0) })
}
