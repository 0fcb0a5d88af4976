package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/analysis/whatif"
	"idem/engine"
)

type whatifOptions struct {
	json, presets bool
	policies, set []string
	sweep         string
	inject        injectFlags
	narrow        narrowFlags
}

func newWhatif(s streams) *cobra.Command {
	var o whatifOptions
	cmd := &cobra.Command{
		Use:   "whatif DB",
		Short: "Replay the day under several policies side by side",
		Long: `whatif replays the same day under the default policy, under policies of your own
and under the published behaviour of payment APIs, and shows what each would have
done: extra transfers and money left, payments stopped, honest requests refused,
409s answered. Without --policy and --set it shows the default and all presets.

--sweep turns one knob of one policy over the day's own gaps, draws the curve, and
names the smallest value that stops everything.

` + aboutNarrowing,
		Example: `  idem whatif incident.db
  idem whatif incident.db --set retention_hours=24,fingerprint=raw --set scope=idem_key
  idem whatif incident.db --policy policy.json --presets --json
  idem whatif incident.db --client shop-2 --from 2026-03-10T09:00:00Z
  idem whatif incident.db --sweep retention`,
		Args: oneDatabase,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWhatif(cmd.Context(), s, o, args[0])
		},
		ValidArgsFunction: completeDatabase,
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print JSON instead of text")
	f.BoolVar(&o.presets, "presets", false, "add the published behaviour of payment APIs")
	f.StringArrayVar(&o.policies, "policy", nil, "add the policy of this file (JSON, as policy.json)")
	f.StringArrayVar(&o.set, "set", nil, "add the default policy with some knobs changed: knob=value,knob=value")
	f.StringVar(&o.sweep, "sweep", "", "sweep retention or lease of one policy")
	o.inject.register(f)
	o.narrow.register(f)
	return cmd
}

func runWhatif(ctx context.Context, s streams, o whatifOptions, path string) error {
	cases, err := o.cases()
	if err != nil {
		return err
	}
	return withPart(ctx, path, o.narrow, func(in *analysis.Incident) error {
		return o.compare(ctx, s, in, cases)
	})
}

// compare replays the day under the policies and tells what they came to.
func (o *whatifOptions) compare(ctx context.Context, s streams, in *analysis.Incident, cases []whatif.Case) (err error) {
	p := newProgress(s.err, "replaying")
	defer p.done()
	options := whatif.Options{Progress: p.report}
	if options.Replay, err = o.inject.options(ctx, in); err != nil {
		return err
	}
	out := whatifOutput{narrowed: in.Narrowing()}
	if o.sweep != "" {
		out.curve, err = whatif.Sweep(ctx, in, cases[0], whatif.Knob(o.sweep), options)
	} else {
		out.comparison, err = whatif.Compare(ctx, in, cases, options)
	}
	if err != nil {
		return err
	}
	if o.json {
		if out.evidence, err = in.Evidence(ctx, p.report); err != nil {
			return err
		}
	}
	p.done()
	return buffered(s.out, func(w io.Writer) error {
		if o.json {
			return out.writeJSON(w)
		}
		return out.writeText(w)
	})
}

// cases are the policies that were asked for. A sweep is over one of them.
func (o *whatifOptions) cases() ([]whatif.Case, error) {
	own, err := o.own()
	if err != nil {
		return nil, err
	}
	if o.sweep != "" {
		switch {
		case o.sweep != string(whatif.Retention) && o.sweep != string(whatif.Lease):
			return nil, usageError("--sweep is retention or lease, not %q", o.sweep)
		case len(own) > 1 || o.presets:
			return nil, usageError("--sweep is over one policy: give one --policy or one --set, and no --presets")
		case len(own) == 1:
			return own, nil
		}
		return []whatif.Case{whatif.Default()}, nil
	}
	cases := append([]whatif.Case{whatif.Default()}, own...)
	if o.presets || len(own) == 0 {
		cases = append(cases, whatif.Presets()...)
	}
	return cases, nil
}

// own are the policies of --policy and --set.
func (o *whatifOptions) own() (cases []whatif.Case, err error) {
	for _, path := range o.policies {
		file := policyFlag{path: path}
		p, err := file.load(engine.DefaultPolicy())
		if err != nil {
			return nil, err
		}
		cases = append(cases, whatif.Case{Name: filepath.Base(path), Policy: p})
	}
	for _, changes := range o.set {
		p, err := whatif.ParseChanges(changes, engine.DefaultPolicy())
		if err != nil {
			return nil, &coded{exitUsage, fmt.Errorf("--set: %w", err)}
		}
		cases = append(cases, whatif.Case{Name: changes, Policy: p})
	}
	return cases, nil
}
