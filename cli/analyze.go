package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/analysis/printable"
	"idem/report"
)

type analyzeOptions struct {
	json, findings, fail, why bool
	out, refunds              string
	narrow                    narrowFlags
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

` + aboutNarrowing + `

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
	o.narrow.register(f)
	return cmd
}

func runAnalyze(ctx context.Context, s streams, o analyzeOptions, path string) error {
	if o.collide() {
		return usageError("--out %s is one of the lists that --refunds writes; give it another name", o.out)
	}
	return withPart(ctx, path, o.narrow, func(in *analysis.Incident) error {
		gatherLess()
		a, err := analyze(ctx, s, in)
		if err == nil && (o.looksBeyondKeys() || a.narrowed()) {
			err = a.look(ctx, s)
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

// collide reports whether the report would take the place of a list of refunds.
func (o *analyzeOptions) collide() bool {
	dir, name := filepath.Split(o.out)
	return o.refunds != "" && strings.HasPrefix(name, "refunds") && filepath.Clean(dir) == filepath.Clean(o.refunds)
}

// looksBeyondKeys reports whether findings were asked for.
func (o *analyzeOptions) looksBeyondKeys() bool {
	return o.findings || o.why || o.json || o.out != "" || o.refunds != ""
}

// analysed is what there is to tell about an incident.
type analysed struct {
	in       *analysis.Incident
	dup      *analysis.Duplicates
	found    *findings.Result // nil where only keys were looked at
	evidence analysis.Evidence
}

func analyze(ctx context.Context, s streams, in *analysis.Incident) (a analysed, err error) {
	defer large()()
	p := newProgress(s.err, "reading")
	defer p.done()
	a.in = in
	a.dup, err = in.Duplicates(ctx, p.report)
	return a, err
}

// look looks beyond keys.
func (a *analysed) look(ctx context.Context, s streams) (err error) {
	p := newProgress(s.err, "looking beyond keys")
	defer p.done()
	a.found, err = findings.Find(ctx, a.in, p.report)
	return err
}

// narrowed reports whether only a part of the incident is told about.
func (a *analysed) narrowed() bool { return !a.in.Narrowing().IsZero() }

// duplicates reports whether money moved twice, by keys or by findings.
func (a *analysed) duplicates() bool {
	if a.found == nil || a.dup.DuplicateKeys > 0 {
		return a.dup.DuplicateKeys > 0
	}
	t := &a.found.Totals
	return t.Certain.Transfers+t.Probable.Transfers+t.Disputed.Transfers > 0
}

// text is the plain summary.
func (a *analysed) text(w io.Writer, why bool) error {
	if err := report.Summary(w, a.dup, a.in.Narrowing()); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
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
