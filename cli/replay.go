package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/analysis/printable"
	"idem/analysis/replay"
	"idem/engine"
	"idem/report"
)

// replayOptions are those of the workbench, and what is done to the day.
type replayOptions struct {
	openOptions
	inject injectFlags
}

func newReplay(s streams) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay DB --out DIR",
		Short: "Send the day through the engine and write the evidence",
		Long: `replay sends every request of an incident, in order and in the log's own time,
through the idempotency engine, and writes five files: day.db (the replayed
ledger), dup_report.json, result.json, policy.json and idem_report.md. They
appear whole or not at all; other files in the folder are left alone.

` + aboutNarrowing + `
The files say that they are about a part.`,
		Example: `  idem replay incident.db --out report
  idem replay incident.db --out report --policy policy.json --lang en,zh-Hant
  idem replay incident.db --out shop-2 --client shop-2
  idem replay incident.db --out drill --crash-at 42 --race 57`,
		Args: oneDatabase,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReplay(cmd.Context(), s, o, args[0])
		},
		ValidArgsFunction: completeDatabase,
	}
	o.flags(cmd)
	o.inject.register(cmd.Flags())
	return cmd
}

func runReplay(ctx context.Context, s streams, o replayOptions, path string) error {
	if o.out == "" {
		return usageError("--out is empty: name a folder for the evidence")
	}
	policy, err := o.policy.load(engine.DefaultPolicy())
	if err != nil {
		return err
	}
	langs, err := parseLangs(o.langs)
	if err != nil {
		return err
	}
	dir, done, err := privateDir()
	if err != nil {
		return err
	}
	defer func() { _ = done() }() // what stays goes with the next run
	return withPart(ctx, path, o.narrow, func(in *analysis.Incident) error {
		return o.replay(ctx, s, in, policy, langs, dir)
	})
}

// replay runs the day, writes the evidence and tells what it came to.
func (o replayOptions) replay(ctx context.Context, s streams, in *analysis.Incident, policy engine.Policy, langs []report.Lang, dir string) error {
	// A day takes minutes: that its files have no place is told first.
	if err := report.CanWrite(o.out, in, langs...); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(dir, "day-")
	if err != nil {
		return fmt.Errorf("make a private folder: %w", err)
	}
	injected, err := o.inject.options(ctx, in)
	if err != nil {
		return err
	}
	day, err := replayDay(ctx, s, in, policy, dir, injected)
	if err != nil {
		return err
	}
	defer large()()
	files, err := day.report.Write(ctx, o.out, langs...)
	if err != nil {
		return err
	}
	for _, name := range report.Stale(o.out, langs...) {
		fmt.Fprintf(s.err, "idem: %s in %q is of an earlier run and was left as it is; --lang writes it anew\n", name, o.out)
	}
	return buffered(s.out, func(w io.Writer) error { return printReplay(w, in.Narrowing(), &day.result, files) })
}

// finished is a day that is through, and its report.
type finished struct {
	result replay.Result
	report *report.Report
}

// replayDay runs the day to its end and checks its figures.
func replayDay(ctx context.Context, s streams, in *analysis.Incident, policy engine.Policy, dir string, o replay.Options) (finished, error) {
	player, err := replay.NewWith(ctx, in, policy, dir, o)
	if err != nil {
		return finished{}, err
	}
	defer player.Close()
	p := newProgress(s.err, "replaying")
	replayed := logged(ctx, "replay", "requests", player.Total())
	err = player.RunTo(ctx, player.Total(), nil, p.report)
	replayed()
	p.done()
	if err != nil {
		return finished{}, err
	}
	defer large()()
	p = newProgress(s.err, "checking")
	defer p.done()
	analysed := logged(ctx, "analyse")
	dup, err := in.Duplicates(ctx, p.report)
	analysed()
	if err != nil {
		return finished{}, err
	}
	return finish(ctx, in, player, dup, p.report)
}

// finish gathers what the report needs besides the replay.
func finish(ctx context.Context, in *analysis.Incident, player *replay.Player, dup *analysis.Duplicates, progress func(done, total int64)) (finished, error) {
	result, err := player.Result(ctx, dup)
	if err != nil {
		return finished{}, err
	}
	evidence, err := in.Evidence(ctx, progress)
	if err != nil {
		return finished{}, err
	}
	day := report.Day{Incident: in, Duplicates: dup, Result: result,
		DayDB: player.DayDB(), Evidence: evidence, Version: Version}
	r, err := report.Prepare(ctx, day)
	return finished{result, r}, err
}

// printReplay tells in a few lines what the replay made of the day.
func printReplay(w io.Writer, part analysis.Narrowing, r *replay.Result, files []string) error {
	if err := report.NarrowedLine(w, part); err != nil {
		return err
	}
	avoided, err := r.Avoided()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "requests     %s\n", printable.Digits(r.Requests))
	fmt.Fprintf(w, "created      %s\n", printable.Digits(r.Created))
	fmt.Fprintf(w, "replayed     %s\n", printable.Digits(r.Replayed))
	fmt.Fprintf(w, "rejected     %s (409 in flight %s, 422 mismatch %s)\n", printable.Digits(r.Rejected()), printable.Digits(r.InFlight), printable.Digits(r.Mismatch))
	fmt.Fprintf(w, "refused      %s\n", printable.Digits(r.Refused))
	fmt.Fprintf(w, "v1 total     %s\n", report.PlainMoney(r.V1Total))
	fmt.Fprintf(w, "transferred  %s\n", report.PlainMoney(r.Transferred))
	fmt.Fprintf(w, "difference   %s, of which\n", report.PlainMoney(avoided))
	for _, term := range r.Terms() {
		if term.Name == replay.TermStopped || !term.Sum.IsZero() {
			sign := map[bool]string{true: "-"}[term.Sign < 0 && !term.Sum.IsZero()]
			fmt.Fprintf(w, "  %-36s %s%s\n", term.Name, sign, report.PlainMoney(term.Sum))
		}
	}
	printInjected(w, &r.Injected)
	if r.RetentionTooShort() {
		fmt.Fprintf(w, "warning: the retention of %v is not longer than the longest gap between two sends of one key, %v\n", r.Policy.Retention, r.LongestGap)
	}
	fmt.Fprintln(w)
	for _, f := range files {
		fmt.Fprintln(w, printable.Text(f, 500))
	}
	return nil
}
