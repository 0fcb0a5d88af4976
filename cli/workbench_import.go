package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"idem/analysis"
	"idem/analysis/ingest"
	"idem/tui"
)

// importer is the import of the workbench: that of the command, its flags typed
// into fields.
type importer struct {
	work    workbench
	running sync.Mutex // held while an import runs
}

func (i *importer) Import(ctx context.Context, form tui.ImportForm, dry bool, progress func(done, total int64)) (string, error) {
	i.running.Lock()
	defer i.running.Unlock()
	o, err := formOptions(form)
	if err != nil {
		return "", err
	}
	o.dryRun = dry
	opts, err := o.load(streams{})
	if err != nil {
		return "", importError(err)
	}
	opts.Progress = progress
	result, err := ingest.Import(ctx, opts)
	if err != nil {
		return "", undecided(importError(err))
	}
	var b strings.Builder
	err = result.Text(&b, dry)
	return b.String(), err
}

func (i *importer) Open(ctx context.Context, file string, part analysis.Filter) (tui.Session, error) {
	w := i.work
	w.path = file
	return w.open(ctx, part)
}

// wait returns once no import runs any more, so that one that was given up has
// taken its unfinished file away.
func (i *importer) wait() {
	i.running.Lock()
	defer i.running.Unlock()
}

// formOptions reads a form as the command line reads its flags.
func formOptions(form tui.ImportForm) (importOptions, error) {
	var o importOptions
	f := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	o.settling(f)
	o.allowing(f)
	if err := f.Parse(strings.Fields(form.Settings)); err != nil {
		return o, usageError("settings: %w", err)
	}
	if f.NArg() > 0 {
		return o, usageError("settings: %q stands alone: write a flag such as --zone before it", f.Arg(0))
	}
	files := pflag.NewFlagSet("files", pflag.ContinueOnError)
	o.files(files)
	for _, field := range []struct{ flag, text string }{
		{"requests", form.Requests}, {"transfers", form.Transfers}, {"accounts", form.Accounts}, {"map", form.Mapping}, {"out", form.Out},
	} {
		if err := files.Set(field.flag, strings.TrimSpace(field.text)); err != nil {
			return o, usageError("%s: %w", field.flag, err)
		}
	}
	for _, list := range [][]string{o.requests, o.transfers, o.accounts} {
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		if slices.Contains(list, "-") {
			return o, usageError("standard input is the terminal here: name a file, or run idem import from a shell")
		}
	}
	return o, nil
}

// undecided tells the screen which flag settles an error, if one does.
func undecided(err error) error {
	if u := new(ingest.Unsettled); errors.As(err, &u) {
		return &tui.Undecided{Err: err, Flag: u.Flag}
	}
	return err
}
