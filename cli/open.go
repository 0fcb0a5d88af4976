package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"idem/analysis"
	"idem/fixtures"
	"idem/report"
	"idem/tui"
)

// openOptions are the flags of the workbench.
type openOptions struct {
	out    string
	policy policyFlag
	langs  []string
	theme  string
	narrow narrowFlags
}

// defaultOut is the folder that the evidence goes to unless another is named.
const defaultOut = "idem-report"

func (o *openOptions) flags(cmd *cobra.Command) { o.register(cmd.Flags()) }

func (o *openOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", defaultOut, "folder for the evidence")
	f.StringSliceVar(&o.langs, "lang", nil, "further languages of the report, beside Korean: en, zh-Hans, zh-Hant")
	f.StringVar(&o.theme, "theme", tui.Themes()[0], "colours: "+strings.Join(tui.Themes(), ", "))
	o.policy.register(f)
	o.narrow.register(f)
}

func newOpen(s streams) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "open [DB]",
		Short: "Open the workbench on an incident (the same as idem DB)",
		Long: `open shows an incident database in the terminal: what was paid twice, then the
day's requests, step by step, against the engine. When the last request is
through, the evidence is written to the folder of --out. Without a terminal it
prints a summary and writes nothing. Without DB it opens the lab's day.

With a screen reader use --linear, or set ACCESSIBLE=1: the same workbench in
words, one statement a line, with commands such as next, goto and report.

` + aboutNarrowing + `
In the workbench z narrows to another part, and Z gives all of the day again.`,
		Example: `  idem open incident.db
  idem open incident.db --out /evidence/2026-03-10 --lang en
  idem open incident.db --screen compare --against stripe-v1
  idem open incident.db --record night.cast
  idem open incident.db --linear`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.remember(cmd.Flags())
			return o.run(cmd.Context(), s, args)
		},
		ValidArgsFunction: completeDatabase,
	}
	o.flags(cmd)
	return cmd
}

// incidentOrLab is the database that was named, or the lab's day made on the spot.
func incidentOrLab(ctx context.Context, dir string, args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	path := filepath.Join(dir, "lab.db")
	if err := fixtures.Generate(ctx, path, fixtures.Lab()); err != nil {
		return "", fmt.Errorf("make the lab's day: %w", err)
	}
	return path, nil
}

func parseLangs(names []string) ([]report.Lang, error) {
	var langs []report.Lang
	for _, name := range names {
		lang, err := report.ParseLang(name)
		if err != nil {
			return nil, &coded{exitUsage, err}
		}
		langs = append(langs, lang)
	}
	return langs, nil
}

// printSummary is what there is without a terminal.
func printSummary(ctx context.Context, s streams, path string, narrow narrowFlags) error {
	return withPart(ctx, path, narrow, func(in *analysis.Incident) error {
		a, err := analyze(ctx, s, in)
		if err != nil {
			return err
		}
		return buffered(s.out, func(w io.Writer) error { return a.text(w, false) })
	})
}
