package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/analysis/printable"
	"idem/analysis/verify"
	"idem/report"
)

type verifyOptions struct {
	head, now string
	json      bool
}

func newVerify(s streams) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify DB",
		Short: "Audit a replayed day or an API database: what must hold, and where it does not",
		Long: `verify reads a day.db of idem replay, or the database of idem api or idem serve
(a file, or postgres://...), and checks that every transfer was made by one life of a key, that records and
transfers agree, that each balance is its start plus its transfers, that money is
conserved, that no claim is stuck, and that the chain of hashes over the transfers
is unbroken. It names the rows that break it. The database is never written to.

--head FILE keeps the chain's end outside of the database: the first time it is
written, later it is compared, so that a ledger that was rewritten as a whole or
put back to an older state is noticed, too. To move it forward, keep a new one.

Exit code 0: all holds; 1: something does not; 3: the database is unreadable.`,
		Example: `  idem verify report/day.db
  idem verify payments.db --head payments.head
  idem verify postgres:///payments?host=/run/postgresql --head payments.head
  idem verify payments.db --json | jq '.checks[] | select(.violations > 0)'`,
		Args: oneDatabase,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVerify(cmd.Context(), s, o, args[0])
		},
		ValidArgsFunction: completeDatabase,
	}
	f := cmd.Flags()
	f.StringVar(&o.head, "head", "", "file that keeps the chain's end: written when missing, else compared")
	f.StringVar(&o.now, "now", "", "instant of the audit (RFC 3339) instead of the present one")
	f.BoolVar(&o.json, "json", false, "print JSON instead of text")
	return cmd
}

func runVerify(ctx context.Context, s streams, o verifyOptions, path string) error {
	audit := verify.Options{Now: time.Now().UTC()}
	var err error
	if o.now != "" {
		if audit.Now, err = instant("--now", o.now); err != nil {
			return err
		}
	}
	if audit.Kept, err = readHead(o.head); err != nil {
		return err
	}
	r, err := o.audit(ctx, path, audit)
	if err != nil {
		return err
	}
	kept, err := keepHead(ctx, o.head, path, audit.Kept, r)
	if err != nil {
		return err
	}
	if err := buffered(s.out, func(w io.Writer) error { return o.print(w, r, kept) }); err != nil {
		return err
	}
	if !r.Holds() {
		return &coded{code: exitFailed}
	}
	return nil
}

// audit audits a file, or the database that a connection string names.
func (o verifyOptions) audit(ctx context.Context, path string, by verify.Options) (*verify.Report, error) {
	defer logged(ctx, "audit", "bytes", fileSize(path))()
	if isPostgres(path) {
		return verify.Database(ctx, path, by)
	}
	f, err := analysis.OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return verify.Ledger(ctx, f, by)
}

// readHead reads a kept head; nil when there is no such file yet.
func readHead(path string) (*verify.Head, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readLimited(path, 1<<10)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unreadable("read --head: %w", err)
	}
	h, err := verify.ParseHead(string(text))
	if err != nil {
		return nil, unreadable("read --head %s: %w; name another file to keep a new one", path, err)
	}
	return &h, nil
}

// audited is the file that was audited, or a database's connection string, which
// is no file's path.
type audited string

func (a audited) Path() string { return string(a) }

// keepHead writes a head that was not kept yet, and says so. What does not hold
// is not worth keeping.
func keepHead(ctx context.Context, path, db string, kept *verify.Head, r *verify.Report) (said string, err error) {
	switch {
	case path == "":
		return "", nil
	case kept != nil:
		return fmt.Sprintf("compared with the %d transfers of %s", kept.N, path), nil
	case r.Head == nil:
		return "no head was kept: the transfers have no chain", nil
	case !r.Holds():
		return "no head was kept: something does not hold", nil
	}
	err = report.WriteFile(ctx, path, audited(db), func(w io.Writer) error {
		_, err := io.WriteString(w, r.Head.Text())
		return err
	})
	return "kept in " + path, err
}

func (o verifyOptions) print(w io.Writer, r *verify.Report, kept string) error {
	if o.json {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	for i := range r.Checks {
		printCheck(w, &r.Checks[i])
	}
	if r.Head != nil {
		fmt.Fprintf(w, "head      %s", r.Head.Text())
	}
	if kept != "" {
		fmt.Fprintf(w, "          %s\n", printable.Text(kept, 500))
	}
	fmt.Fprintf(w, "verify: %d checks, %d violations\n", len(r.Checks), r.Violations())
	return nil
}

func printCheck(w io.Writer, c *verify.Check) {
	word := "holds"
	if !c.Holds() {
		word = "BROKEN"
	}
	fmt.Fprintf(w, "%-9s %-6s %s (%s rows)\n", c.Name, word, c.What, printable.Digits(c.Rows))
	for _, v := range c.Violations {
		text := v.Why
		if v.Row != "" {
			text = v.Row + ": " + v.Why
		}
		fmt.Fprintf(w, "          - %s\n", printable.Text(text, 500))
	}
	if more := c.Count - int64(len(c.Violations)); more > 0 {
		fmt.Fprintf(w, "          - and %s more\n", printable.Digits(more))
	}
	if c.Note != "" {
		fmt.Fprintf(w, "          note: %s\n", c.Note)
	}
}
