// Package cli is the command line: one file a command. A command reads its
// flags, wires the packages together, and turns what happened into output and
// an exit code. Data goes to stdout, everything else to stderr.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/analysis/printable"
	"idem/crash"
	"idem/engine"
)

// Exit codes of every command.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitUnreadable = 3
	exitDuplicates = 10
	exitCrash      = 70
	exitSignal     = 128 // plus the signal's number
)

// coded is an error that ends the program with a code of its own. A nil cause
// prints nothing.
type coded struct {
	code  int
	cause error
}

func (c *coded) Error() string {
	if c.cause == nil {
		return fmt.Sprintf("exit code %d", c.code)
	}
	return c.cause.Error()
}

func (c *coded) Unwrap() error { return c.cause }

func usageError(format string, args ...any) error {
	return &coded{exitUsage, fmt.Errorf(format, args...)}
}

func unreadable(format string, args ...any) error {
	return &coded{exitUnreadable, fmt.Errorf(format, args...)}
}

// streams are the program's; tests give their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// Main runs the program and returns its exit code.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	ctx, stop := signalContext()
	defer stop()
	root := newRoot(streams{in, out, errw})
	root.SetArgs(args)
	root.SetIn(in)
	printed := &watched{w: out}
	root.SetOut(printed)
	root.SetErr(errw)
	nameShell(root)
	wrapArgs(root)
	start := time.Now()
	cmd, err := runRoot(ctx, root, args)
	if err == nil {
		err = printed.err
	}
	code := conclude(ctx, errw, cmd, err)
	logEnd(cmd, start, code, err)
	return code
}

// runRoot runs a command. A panic in it is an error like any other.
func runRoot(ctx context.Context, root *cobra.Command, args []string) (cmd *cobra.Command, err error) {
	defer crash.Catch(func(p *crash.Panic) { cmd, err = called(root, args), p })
	cmd, err = root.ExecuteContextC(ctx)
	return cmd, err
}

// conclude prints an error and gives its exit code. A signal outranks the errors
// that it caused.
func conclude(ctx context.Context, errw io.Writer, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	if signal := new(signalError); errors.As(context.Cause(ctx), &signal) {
		fmt.Fprintf(errw, "idem: ended by %v\n", signal.signal)
		return exitSignal + int(signal.signal)
	}
	code := exitCode(err)
	if c := new(coded); errors.As(err, &c) && c.cause == nil {
		return code
	}
	fmt.Fprintf(errw, "idem: %s\n", visibleLines(masked(err.Error())))
	if p := new(crash.Panic); errors.As(err, &p) {
		fmt.Fprintf(errw, "idem: %s\n", visibleLines(leaveCrashFile(p, cmd)))
	}
	if code == exitUsage && cmd != nil {
		fmt.Fprintf(errw, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return code
}

// visibleLines makes an error's text safe to print: it may quote a path or data.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = printable.Text(lines[i], 1000)
	}
	return strings.Join(lines, "\n")
}

func exitCode(err error) int {
	var c *coded
	switch {
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, analysis.ErrUnreadable), errors.Is(err, analysis.ErrLocked),
		errors.Is(err, analysis.ErrChanged), errors.Is(err, engine.ErrAmbiguous):
		return exitUnreadable
	}
	return exitFailed
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal syscall.Signal }

func (s *signalError) Error() string { return s.signal.String() }

// signalContext ends at the first SIGINT, SIGTERM or SIGHUP, so that what runs
// can clean up; a second SIGINT or SIGTERM ends the program at once. What nohup
// started outlives its terminal.
func signalContext() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(got, ends...)
	// Taken in by nobody, where the signal would end the program with its private
	// files left behind: a write to a pipe that was closed is an error then, and a
	// terminal that goes away tells so more than once, by the shell and the kernel.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGHUP)
	go func() {
		select {
		case s := <-got:
			signal.Stop(got)
			cancel(&signalError{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(got); cancel(nil) }
}
