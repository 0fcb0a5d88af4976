package cli

import (
	"context"
	"os"

	"idem/tui"
)

// accessible reports whether the environment asks for words instead of a drawn
// screen, by the variable that other programs look at, too.
func accessible() bool {
	switch os.Getenv("ACCESSIBLE") {
	case "", "0", "false", "no":
		return false
	}
	return true
}

// speak runs the workbench in words, on any kind of stdin and stdout.
func (o *showOptions) speak(ctx context.Context, s streams, w workbench) error {
	if o.record.file != "" {
		return usageError("--record records a drawn screen; in linear mode redirect the output to a file")
	}
	if o.start != (tui.Start{At: o.start.At}) {
		return usageError("--screen, --filter, --sort and --against are of the drawn workbench; in linear mode there are find and goto")
	}
	w.keepsNothing()
	cfg := tui.Config{
		File: w.name(), Narrow: w.narrow, OutDir: w.out, Version: Version, Policy: w.policy, Open: w.open, Log: logOf(ctx), Tour: w.tour, Start: w.start,
	}
	return tui.RunLinear(ctx, cfg, s.in, s.out, isTerminal(s.in))
}

// name is the incident as people call it.
func (w *workbench) name() string {
	if w.lab {
		return "the lab's day"
	}
	return w.path
}
