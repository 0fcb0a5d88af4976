package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"idem/engine"
	"idem/tui"
)

// showOptions are the flags of a start of the workbench.
type showOptions struct {
	openOptions
	record recordFlags
	linear bool
	start  tui.Start
	given  []string // further flags, as they were given
	tour   bool     // of the lab's day; no flag but a command of its own
}

func (o *showOptions) flags(cmd *cobra.Command) {
	o.openOptions.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.start.Screen, "screen", "", "begin on this screen: "+strings.Join(tui.Screens(), ", "))
	f.Int64Var(&o.start.At, "at", 0, "begin at this request of the replay")
	f.StringVar(&o.start.Filter, "filter", "", "begin with this filter of the incident's, the replay's or the findings' list")
	f.StringVar(&o.start.Sort, "sort", "", "begin with this list sorted by a column: "+strings.Join(tui.Sorts(), ", ")+"; :turned behind it is the other way round")
	f.StringVar(&o.start.Against, "against", "", "other policy of the compare and the what-if screen: "+strings.Join(tui.Policies(), ", ")+", or knob=value,knob=value changed of the replay's")
	completeWith(cmd, "screen", tui.Screens())
	completeWith(cmd, "sort", tui.Sorts())
	completeWith(cmd, "against", tui.Policies())
	completeWith(cmd, "theme", tui.Themes())
	o.screenFlags(cmd)
}

// completeWith completes a flag's value with one of names.
func completeWith(cmd *cobra.Command, flag string, names []string) {
	// The flag is there: it was registered a line before.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// remember keeps the flags that a command line of the same workbench has, besides
// those that say where it begins.
func (o *showOptions) remember(f *pflag.FlagSet) {
	o.given = nil
	f.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "policy", "out", "theme":
			o.given = append(o.given, "--"+flag.Name+"="+flag.Value.String())
		case "lang":
			o.given = append(o.given, "--lang="+strings.Join(o.langs, ","))
		}
	})
}

// screenFlags are those about how it is shown.
func (o *showOptions) screenFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.linear, "linear", false, "tell everything in words, one statement a line, for screen readers and scripts; ACCESSIBLE=1 does so on a terminal")
	o.record.register(cmd.Flags())
	completeRecord(cmd)
}

// run opens the workbench, or prints the summary where there is no terminal.
func (o showOptions) run(ctx context.Context, s streams, args []string) error {
	w, err := o.workbench()
	if err != nil {
		return err
	}
	dir, done, err := privateDir()
	if err != nil {
		return err
	}
	defer func() { _ = done() }() // what stays goes with the next run
	w.dir = dir
	if w.path, err = incidentOrLab(ctx, w.dir, args); err != nil {
		return err
	}
	w.lab = len(args) == 0
	if o.linear || (interactive(s) && accessible()) {
		return o.speak(ctx, s, w)
	}
	if !interactive(s) {
		return o.summary(ctx, s, w.path)
	}
	return w.run(ctx, s)
}

// summary is what there is where nothing can be drawn, with a word on what could
// be had instead.
func (o *showOptions) summary(ctx context.Context, s streams, path string) error {
	switch {
	case o.record.file != "":
		return usageError("--record needs a terminal to record")
	case isTerminal(s.in) && isTerminal(s.out):
		fmt.Fprintln(s.err, "idem: nothing can be drawn on this terminal; idem --linear tells the workbench in words")
	case o.tour:
		fmt.Fprintln(s.err, "idem: the tour needs a terminal; this is the summary of its day")
	}
	return printSummary(ctx, s, path, o.narrow)
}

// workbench is the start that the flags ask for.
func (o *showOptions) workbench() (w workbench, err error) {
	w = workbench{out: o.out, theme: o.theme, record: o.record, tour: o.tour, start: o.start, given: o.given}
	if err = o.record.check(); err != nil {
		return w, err
	}
	if w.policy, err = o.policy.load(engine.DefaultPolicy()); err != nil {
		return w, err
	}
	if err = o.start.Check(w.policy); err != nil {
		return w, &coded{exitUsage, err}
	}
	if w.langs, err = parseLangs(o.langs); err != nil {
		return w, err
	}
	if !slices.Contains(tui.Themes(), o.theme) {
		return w, usageError("no theme %q: it is one of %s", o.theme, strings.Join(tui.Themes(), ", "))
	}
	w.narrow, err = o.narrow.filter()
	return w, err
}
