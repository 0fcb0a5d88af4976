package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/report"
)

type analyzeOptions struct {
	json, fail bool
	out        string
}

func newAnalyze(s streams) *cobra.Command {
	var o analyzeOptions
	cmd := &cobra.Command{
		Use:   "analyze DB",
		Short: "Show which payments of an incident went out twice",
		Long: `analyze finds the keys that moved money more than once: with ROW_NUMBER over the
transfers of each key, in its client and endpoint. The database is evidence and
is never written to.`,
		Example: `  idem analyze incident.db
  idem analyze incident.db --json | jq .double_paid
  idem analyze incident.db --out dup_report.json --fail-on-duplicates`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAnalyze(cmd.Context(), s, o, args[0])
		},
		ValidArgsFunction: completeDatabase,
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print dup_report.json instead of text")
	f.StringVar(&o.out, "out", "", "write dup_report.json to this file and nothing to stdout")
	f.BoolVar(&o.fail, "fail-on-duplicates", false, "end with exit code 10 when there are duplicates")
	return cmd
}

func runAnalyze(ctx context.Context, s streams, o analyzeOptions, path string) error {
	in, err := analysis.Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	dup, err := o.run(ctx, s, in)
	if err != nil {
		return err
	}
	if o.fail && dup.DuplicateKeys > 0 {
		return &coded{code: exitDuplicates}
	}
	return nil
}

// run analyses and gives the output that was asked for.
func (o analyzeOptions) run(ctx context.Context, s streams, in *analysis.Incident) (*analysis.Duplicates, error) {
	p := newProgress(s.err, "reading")
	defer p.done()
	dup, err := in.Duplicates(ctx, p.report)
	if err != nil {
		return nil, err
	}
	if o.out == "" && !o.json {
		p.done()
		return dup, buffered(s.out, func(w io.Writer) error { return report.Summary(w, dup) })
	}
	evidence, err := in.Evidence(ctx, p.report)
	if err != nil {
		return nil, err
	}
	text, err := report.DupReportJSON(dup, evidence, Version, "")
	p.done()
	if err != nil {
		return nil, err
	}
	if o.out != "" {
		return dup, report.WriteFile(ctx, o.out, in, text)
	}
	return dup, buffered(s.out, func(w io.Writer) error { _, err := w.Write(text); return err })
}
