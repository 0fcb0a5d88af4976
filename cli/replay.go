package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/report"
)

func newReplay(s streams) *cobra.Command {
	var o openOptions
	cmd := &cobra.Command{
		Use:   "replay DB --out DIR",
		Short: "Send the day through the engine and write the evidence",
		Long: `replay sends every request of an incident, in order and in the log's own time,
through the idempotency engine, and writes five files: day.db (the replayed
ledger), dup_report.json, result.json, policy.json and idem_report.md. They
appear whole or not at all; other files in the folder are left alone.`,
		Example: `  idem replay incident.db --out report
  idem replay incident.db --out report --policy policy.json --lang en,zh-Hant`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReplay(cmd.Context(), s, o, args[0])
		},
		ValidArgsFunction: completeDatabase,
	}
	o.flags(cmd)
	return cmd
}

func runReplay(ctx context.Context, s streams, o openOptions, path string) error {
	policy, err := o.policy.load(engine.DefaultPolicy())
	if err != nil {
		return err
	}
	langs, err := parseLangs(o.langs)
	if err != nil {
		return err
	}
	in, err := analysis.Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	dir, err := os.MkdirTemp("", "idem-replay-")
	if err != nil {
		return fmt.Errorf("make a private folder: %w", err)
	}
	defer os.RemoveAll(dir)
	day, err := replayDay(ctx, s, in, policy, dir)
	if err != nil {
		return err
	}
	if _, err := day.Write(ctx, o.out, langs); err != nil {
		return err
	}
	return buffered(s.out, func(w io.Writer) error { return day.Summary(w, o.out) })
}

// replayDay runs the day to its end and checks its figures.
func replayDay(ctx context.Context, s streams, in *analysis.Incident, policy engine.Policy, dir string) (*report.Report, error) {
	player, err := replay.New(ctx, in, policy, dir)
	if err != nil {
		return nil, err
	}
	defer player.Close()
	p := newProgress(s.err, "replaying")
	err = player.RunTo(ctx, player.Total(), nil, p.report)
	p.done()
	if err != nil {
		return nil, err
	}
	return prepare(ctx, s, in, player)
}

// prepare gathers what the report needs besides the replay.
func prepare(ctx context.Context, s streams, in *analysis.Incident, player *replay.Player) (*report.Report, error) {
	p := newProgress(s.err, "checking")
	defer p.done()
	dup, err := in.Duplicates(ctx, p.report)
	if err != nil {
		return nil, err
	}
	result, err := player.Result(ctx, dup)
	if err != nil {
		return nil, err
	}
	evidence, err := in.Evidence(ctx, p.report)
	if err != nil {
		return nil, err
	}
	return report.Prepare(ctx, report.Day{Incident: in, Duplicates: dup, Result: result,
		DayDB: player.DayDB(), Evidence: evidence, Version: Version})
}
