package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/printable"
	"idem/report"
)

type analyzeOptions struct {
	json, findings, fail, why bool
	out, refunds              string
	filter                    filterOptions
}

// filterOptions narrow what is told about an incident.
type filterOptions struct {
	from, to, client, endpoint, account string
}

func newAnalyze(s streams) *cobra.Command {
	var o analyzeOptions
	cmd := &cobra.Command{
		Use:   "analyze DB",
		Short: "Show which payments of an incident went out twice, and why",
		Long: `analyze finds the keys that moved money more than once: with ROW_NUMBER over the
transfers of each key, in its client and endpoint. The database is evidence and is
never written to.

--findings looks beyond keys, for payments that were repeated under new keys,
without one, by proxies, webhooks and batches; it says how sure that is and never
calls an honest repeat a duplicate. It takes a few times longer on a large day.
--why, --refunds, --json, --out and what narrows imply it.

--from, --to, --client, --endpoint and --account narrow the findings and their
sums. What dup_report.json says about keys stays that of the whole incident.

--refunds writes refunds.csv and refunds.json, which hold what a key or the log
proves, each line with an idempotency key for its refund; refunds_to_check and
refunds_disputed hold what a person must decide on.`,
		Example: `  idem analyze incident.db
  idem analyze incident.db --why --client shop-2 --from 2026-03-10T09:00:00Z
  idem analyze incident.db --json | jq '.findings[] | select(.confidence != "certain")'
  idem analyze incident.db --refunds refunds
  idem analyze incident.db --out dup_report.json --fail-on-duplicates`,
		Args: oneDatabase,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAnalyze(cmd.Context(), s, o, args[0])
		},
		ValidArgsFunction: completeDatabase,
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print dup_report.json instead of text")
	f.BoolVar(&o.findings, "findings", false, "look beyond keys: every payment that was repeated, by cause and confidence")
	f.BoolVar(&o.why, "why", false, "explain every finding, from the money back to its cause")
	f.StringVar(&o.out, "out", "", "write dup_report.json to this file and nothing to stdout")
	f.StringVar(&o.refunds, "refunds", "", "write the lists of refunds into this folder")
	f.BoolVar(&o.fail, "fail-on-duplicates", false, "end with exit code 10 when there are duplicates: by key, and by findings where they are looked for")
	o.filter.flags(cmd)
	return cmd
}

func (o *filterOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "narrow to findings at or after this instant (RFC 3339)")
	f.StringVar(&o.to, "to", "", "narrow to findings before this instant (RFC 3339)")
	f.StringVar(&o.client, "client", "", "narrow to findings of this client")
	f.StringVar(&o.endpoint, "endpoint", "", "narrow to findings of this endpoint")
	f.StringVar(&o.account, "account", "", "narrow to findings about this account, payer or payee")
}

// filter reads the flags.
func (o *filterOptions) filter() (findings.Filter, error) {
	x := findings.Filter{Client: o.client, Endpoint: o.endpoint, Account: o.account}
	var err error
	if o.from != "" {
		if x.From, err = analysis.ParseInstant(o.from); err != nil {
			return x, usageError("--from: %w", err)
		}
	}
	if o.to != "" {
		if x.To, err = analysis.ParseInstant(o.to); err != nil {
			return x, usageError("--to: %w", err)
		}
	}
	if !x.From.IsZero() && !x.To.IsZero() && !x.From.Before(x.To) {
		return x, usageError("--from %s is not before --to %s: nothing lies between", o.from, o.to)
	}
	return x, nil
}

func runAnalyze(ctx context.Context, s streams, o analyzeOptions, path string) error {
	filter, err := o.filter.filter()
	if err != nil {
		return err
	}
	return withIncident(ctx, path, func(in *analysis.Incident) error {
		boundMemory(path)
		a, err := analyze(ctx, s, in)
		if err == nil && o.looksBeyondKeys(filter) {
			err = a.look(ctx, s, filter)
		}
		if err != nil {
			return err
		}
		if err := o.print(ctx, s, a); err != nil {
			return err
		}
		if o.fail && a.duplicates() {
			return &coded{code: exitDuplicates}
		}
		return nil
	})
}

// looksBeyondKeys reports whether findings were asked for.
func (o *analyzeOptions) looksBeyondKeys(filter findings.Filter) bool {
	return o.findings || o.why || o.json || o.out != "" || o.refunds != "" || !filter.IsZero()
}

// analysed is what there is to tell about an incident.
type analysed struct {
	in       *analysis.Incident
	dup      *analysis.Duplicates
	found    *findings.Result // nil where only keys were looked at
	evidence analysis.Evidence
}

func analyze(ctx context.Context, s streams, in *analysis.Incident) (a analysed, err error) {
	p := newProgress(s.err, "reading")
	defer p.done()
	a.in = in
	a.dup, err = in.Duplicates(ctx, p.report)
	return a, err
}

// look looks beyond keys.
func (a *analysed) look(ctx context.Context, s streams, filter findings.Filter) (err error) {
	p := newProgress(s.err, "looking beyond keys")
	defer p.done()
	a.found, err = findings.Find(ctx, a.in, filter, p.report)
	return err
}

// narrowed reports whether only a part of the incident is told about.
func (a *analysed) narrowed() bool { return a.found != nil && !a.found.Filter.IsZero() }

// duplicates reports whether money moved twice: by keys in all the incident,
// or by the findings, of a part of it where that was asked for.
func (a *analysed) duplicates() bool {
	if !a.narrowed() && a.dup.DuplicateKeys > 0 {
		return true
	}
	if a.found == nil {
		return false
	}
	t := &a.found.Totals
	return t.Certain.Transfers+t.Probable.Transfers+t.Disputed.Transfers > 0
}

// text is the plain summary.
func (a *analysed) text(w io.Writer, why bool) error {
	if !a.narrowed() {
		if err := report.Summary(w, a.dup); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	if a.found == nil {
		_, err := fmt.Fprintln(w, "This is what keys prove. idem analyze DB --findings looks beyond them, --why explains.")
		return err
	}
	return report.FindingsSummary(w, a.found, why)
}

// print gives the output that was asked for.
func (o *analyzeOptions) print(ctx context.Context, s streams, a analysed) error {
	if o.json || o.out != "" || o.refunds != "" {
		p := newProgress(s.err, "hashing")
		var err error
		a.evidence, err = a.in.Evidence(ctx, p.report)
		p.done()
		if err != nil {
			return err
		}
	}
	var lists []string
	if o.refunds != "" {
		var err error
		if lists, err = report.WriteRefunds(ctx, o.refunds, a.in, a.found, a.evidence, Version); err != nil {
			return err
		}
	}
	write := func(w io.Writer) error {
		return report.WriteDupReport(w, a.dup, a.found, a.evidence, Version, "")
	}
	switch {
	case o.out != "":
		return report.WriteFile(ctx, o.out, &a.in.File, write)
	case o.json:
		return buffered(s.out, write)
	}
	return buffered(s.out, func(w io.Writer) error {
		if err := a.text(w, o.why); err != nil {
			return err
		}
		for i, path := range lists {
			if i == 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, printable.Text(path, 500))
		}
		return nil
	})
}
