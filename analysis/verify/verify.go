package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"idem/analysis"
	"idem/engine/sqlitestore/sqlfile"
)

// Violation is one row that is not as it must be.
type Violation struct {
	Row string `json:"row"` // "" for the file as a whole
	Why string `json:"why"`
}

// maxListed bounds the violations that a check lists; all are counted.
const maxListed = 20

// Check is one thing that must always hold.
type Check struct {
	Name string `json:"name"`
	What string `json:"what"`
	// Rows is how many rows were looked at.
	Rows int64 `json:"rows"`
	// Count is how many violations there are; the first of them are listed.
	Count      int64       `json:"violations"`
	Violations []Violation `json:"listed"`
	// Note says what could not be checked, and why.
	Note string `json:"note,omitempty"`
}

// Holds reports whether nothing was found. A check that could not be made holds
// nothing up; its Note says so.
func (c *Check) Holds() bool { return c.Count == 0 }

func (c *Check) fail(row, format string, args ...any) {
	if c.Count++; len(c.Violations) < maxListed {
		c.Violations = append(c.Violations, Violation{row, fmt.Sprintf(format, args...)})
	}
}

// Report is what an audit found.
type Report struct {
	Checks []Check `json:"checks"`
	// Day is true for the ledger of a replay.
	Day bool `json:"day"`
	// Head is the end of the chain; nil where there is no chain.
	Head *Head `json:"head"`
}

// Holds reports whether every check does.
func (r *Report) Holds() bool { return r.Violations() == 0 }

// Violations is how many there are in all.
func (r *Report) Violations() (n int64) {
	for i := range r.Checks {
		n += r.Checks[i].Count
	}
	return n
}

// Options are what an audit goes by besides the file.
type Options struct {
	// Now is the audit's instant: no lease may end later than any policy allows.
	Now time.Time
	// Kept is a head that was kept elsewhere; nil for none.
	Kept *Head
}

// audit is one run over one file.
type audit struct {
	db     *sqlfile.DB
	tables map[string]bool
	copied bool // what is read was copied from a database, row by row
	o      Options
	report Report
}

// Ledger audits a database. Errors are [analysis.ErrUnreadable]: no file that can
// be opened, or none of this program's. What is damaged inside is a violation.
func Ledger(ctx context.Context, f *analysis.File, o Options) (*Report, error) {
	db, err := f.Connect()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	a := &audit{db: db, o: o}
	if err := a.inspect(ctx, f.Path()); err != nil {
		return nil, err
	}
	if err := a.run(ctx); err != nil {
		return nil, err
	}
	return &a.report, nil
}

// inspect finds out what the file is.
func (a *audit) inspect(ctx context.Context, path string) error {
	a.tables = map[string]bool{}
	err := a.rows(ctx, "tables", func(s *sqlfile.Stmt) { a.tables[s.String(0)] = true })
	if err != nil {
		return fmt.Errorf("verify %q: %w: %w", path, analysis.ErrUnreadable, err)
	}
	for _, table := range []string{"account", "transfer", "transfer_claim", "idempotency_key", "fence_counter"} {
		if !a.tables[table] {
			return fmt.Errorf("verify %q: %w: it has no table %s; name a day.db of idem replay, or a database of idem api or idem serve", path, analysis.ErrUnreadable, table)
		}
	}
	a.report.Day = a.tables["step"]
	return nil
}

// checks are all that is checked, in their order: what the others rely on first.
var checks = []struct {
	name, what string
	make       func(*audit, context.Context, *Check) error
}{
	{"pages", "the file is whole, and every row can be read", (*audit).pages},
	{"checksums", "each record of a key is what was stored", (*audit).checksums},
	{"ties", "each transfer was made by one life of a key, and no life made two", (*audit).ties},
	{"records", "a success has exactly its transfer, a refusal and a claim in progress have none", (*audit).records},
	{"tokens", "no fence token was given out twice", (*audit).tokens},
	{"claims", "a claim whose lease is over can be taken by a retry", (*audit).claims},
	{"balances", "each balance is its start plus its transfers, and no debit took one below zero", (*audit).balances},
	{"money", "what leaves one account reaches another, in each currency", (*audit).money},
	{"steps", "each created request of the day has its own transfer", (*audit).steps},
	{"chain", "no transfer was edited, inserted or deleted since it was made", (*audit).chain},
}

func (a *audit) run(ctx context.Context) error {
	for _, c := range checks {
		if c.name == "steps" && !a.report.Day {
			continue
		}
		check := Check{Name: c.name, What: c.what, Violations: []Violation{}}
		err := c.make(a, ctx, &check)
		var damage *sqlfile.Error
		switch {
		case errors.As(err, &damage):
			check.fail("", "it cannot be read to its end: %s", damage.Message)
		case err != nil:
			return fmt.Errorf("check %s: %w", c.name, err)
		}
		a.report.Checks = append(a.report.Checks, check)
	}
	return nil
}
