package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"idem/analysis/ingest"
	"idem/analysis/ingest/source"
)

type importOptions struct {
	requests, transfers, accounts []string
	out, mapFile, secretFile      string
	force, dryRun, json, keep     bool
	format                        string
	settings                      ingest.Mapping
	bodyUnit                      string
}

func newImport(s streams) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import --requests FILE... --transfers FILE... --out DB",
		Short: "Make an incident of the logs and ledgers you have",
		Long: `import turns gateway logs and ledger exports into an incident database. It tells
formats, compression and encoding by content, and shows with --dry-run what it
understood. What could be read in two ways (a time without a zone, a decimal
comma, minor or major units) is an error that names the flag which settles it.
Every row keeps its file and line; what cannot be read is kept as a reject.`,
		Example: `  idem import --requests gateway.csv --transfers ledger.csv --out incident.db --dry-run
  idem import --requests 'a.log.gz,b.log.gz' --transfers ledger.csv --map map.toml --out incident.db
  zcat log.gz | idem import --requests - --zone Europe/Berlin --out incident.db`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("%q stands alone: write --requests or --transfers before each file, or part files by commas", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runImport(cmd.Context(), s, o) },
	}
	o.flags(cmd)
	return cmd
}

func (o *importOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.files(f)
	o.settling(f)
	o.allowing(f)
	f.BoolVar(&o.dryRun, "dry-run", false, "show what was understood, and make no file")
	f.BoolVar(&o.json, "json", false, "print what was imported as JSON")
}

// files are the flags that name files, which the workbench has a field for each.
func (o *importOptions) files(f *pflag.FlagSet) {
	f.StringSliceVar(&o.requests, "requests", nil, "logs of requests; - is standard input")
	f.StringSliceVar(&o.transfers, "transfers", nil, "ledger exports; - is standard input")
	f.StringSliceVar(&o.accounts, "accounts", nil, "opening balances; accounts that no file gives are assumed")
	f.StringVar(&o.mapFile, "map", "", "mapping file (TOML), as an earlier import printed it")
	f.StringVar(&o.out, "out", "", "incident database to make")
}

// settling are the flags that say which way of reading the files is meant. The
// workbench has one field for these and those of allowing.
func (o *importOptions) settling(f *pflag.FlagSet) {
	f.StringVar(&o.settings.Zone, "zone", "", "zone of times without one: a place such as Europe/Berlin, UTC, +02:00")
	f.StringVar(&o.settings.TimeIs, "time-is", "", "times of requests are their start or end")
	f.StringVar(&o.settings.TimeUnit, "time-unit", "", "unit of times that are numbers: s, ms, us, ns")
	f.StringVar(&o.settings.DurationUnit, "duration-unit", "", "unit of durations: s, ms, us, ns")
	f.StringVar(&o.settings.AmountUnit, "amount-unit", "", "amounts of the ledger are minor or major units")
	f.StringVar(&o.bodyUnit, "body-amount-unit", "", "amounts in bodies are minor or major units")
	f.StringVar(&o.settings.Decimal, "decimal", "", "decimal mark of amounts: point or comma")
	f.StringVar(&o.settings.Currency, "currency", "", "currency of amounts without one")
	f.StringVar(&o.format, "format", "", "format of the files, where their content does not tell it; requests: "+
		strings.Join(ingest.FormatNames(ingest.Requests), ", ")+"; transfers: "+strings.Join(ingest.FormatNames(ingest.Transfers), ", "))
}

// allowing are the flags that say what may be overwritten and kept.
func (o *importOptions) allowing(f *pflag.FlagSet) {
	f.BoolVar(&o.force, "force", false, "replace the file when it exists")
	f.BoolVar(&o.keep, "keep-secrets", false, "keep credentials and card numbers")
	f.StringVar(&o.secretFile, "pseudonym-key", "", "file whose content makes the pseudonyms; the same key gives the same ones")
}

const maxMapping = 1 << 20

func (o *importOptions) load(s streams) (ingest.Options, error) {
	opts := ingest.Options{Requests: o.requests, Transfers: o.transfers, Accounts: o.accounts, Out: o.out, Force: o.force,
		DryRun: o.dryRun, KeepSecrets: o.keep, Stdin: s.in, Version: Version}
	if o.out == "" && !o.dryRun {
		return opts, usageError("--out is missing: name the file to make, or try --dry-run")
	}
	if o.mapFile != "" {
		text, err := readLimited(o.mapFile, maxMapping)
		if err != nil {
			return opts, unreadable("read mapping: %w", err)
		}
		if opts.Map, err = ingest.ParseMap(text); err != nil {
			return opts, unreadable("%s: %w", o.mapFile, err)
		}
	}
	if o.secretFile != "" {
		key, err := readLimited(o.secretFile, maxMapping)
		if err != nil {
			return opts, unreadable("read pseudonym key: %w", err)
		}
		opts.PseudonymKey = key
	}
	return opts, opts.Map.Settle(o.settings, o.format, o.bodyUnit)
}

func runImport(ctx context.Context, s streams, o importOptions) error {
	opts, err := o.load(s)
	if err != nil {
		return importError(err)
	}
	p := newProgress(s.err, "importing")
	opts.Progress = p.report
	imported := logged(ctx, "import", "files", len(o.requests)+len(o.transfers)+len(o.accounts))
	result, err := ingest.Import(ctx, opts)
	imported()
	p.done()
	if err != nil {
		return importError(err)
	}
	return buffered(s.out, func(w io.Writer) error {
		if o.json {
			return result.JSON(w)
		}
		return result.Text(w, o.dryRun)
	})
}

// importError gives an import's error its exit code: what a flag settles is
// wrong usage, what no flag can is unreadable input.
func importError(err error) error {
	var c *coded
	var u *ingest.Unsettled
	switch {
	case errors.As(err, &c):
		return err
	case errors.As(err, &u), errors.Is(err, ingest.ErrUsage):
		return &coded{exitUsage, err}
	case errors.Is(err, ingest.ErrExists):
		return fmt.Errorf("%w; --force replaces it", err)
	case errors.Is(err, source.ErrUnreadable), errors.Is(err, ingest.ErrInput):
		return &coded{exitUnreadable, err}
	}
	return err
}
