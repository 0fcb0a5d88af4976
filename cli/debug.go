package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The log of --debug is for whoever looks into a defect: what ran, how long, how
// much. It holds no key, body, credential, path or address, so that it can be
// sent to others.

// logKey is under what a command's context holds its log.
type logKey struct{}

// logOf is the log of a command; one that keeps nothing where none was asked for.
func logOf(ctx context.Context) *slog.Logger {
	if ctx != nil {
		if log, ok := ctx.Value(logKey{}).(*slog.Logger); ok {
			return log
		}
	}
	return slog.New(slog.DiscardHandler)
}

// addDebug gives every command the flag.
func addDebug(root *cobra.Command) {
	file := root.PersistentFlags().String("debug", "", "write a log of what runs into a new file: times and sizes, no data")
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("debug") {
			return nil
		}
		f, err := newFile(*file, "--debug")
		if err != nil {
			return err
		}
		log := slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}))
		cmd.SetContext(context.WithValue(cmd.Context(), logKey{}, log))
		log.Debug("start", "version", Version, "go", runtime.Version(), "system", runtime.GOOS+"/"+runtime.GOARCH,
			"command", cmd.CommandPath(), "arguments", len(args), "flags", strings.Join(flagNames(cmd), " "),
			"term", known(os.Getenv("TERM")))
		return nil
	}
}

// known is a terminal's kind; one that nobody would name so is not repeated.
func known(term string) string {
	if len(term) > 32 || strings.ContainsFunc(term, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "other"
	}
	return term
}

// flagNames are the flags that were given, without their values.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

// logEnd is told how a command ended. Of an error it keeps the kinds, because
// its text may quote data.
func logEnd(cmd *cobra.Command, start time.Time, code int, err error) {
	if cmd != nil {
		logOf(cmd.Context()).Debug("end", "code", code, "took", time.Since(start), "error", errorKinds(err))
	}
}

func errorKinds(err error) string {
	var kinds []string
	for ; err != nil; err = errors.Unwrap(err) {
		kinds = append(kinds, fmt.Sprintf("%T", err))
	}
	return strings.Join(kinds, " ")
}

// logged has a part of a command's work told when it is done: defer logged(ctx, "open")().
func logged(ctx context.Context, what string, sizes ...any) func() {
	start := time.Now()
	return func() {
		logOf(ctx).Debug(what, append([]any{"took", time.Since(start)}, sizes...)...)
	}
}

// fileSize is a file's length in bytes, -1 where it has none.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}
