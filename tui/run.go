package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	xterm "github.com/charmbracelet/x/term"

	"idem/analysis"
	"idem/crash"
	"idem/engine"
)

// Config is what the workbench is started with.
type Config struct {
	File    string // the incident's path, as given
	OutDir  string // where the day's files go, as given
	Version string // of the program
	Policy  engine.Policy

	// Open opens a part of the incident, all of it for the zero filter, at the
	// start and whenever that is asked for again. Narrow is the part to begin with.
	Open   func(context.Context, analysis.Filter) (Session, error)
	Narrow analysis.Filter
	// Session is the incident where it is open already, and OpenErr says why it
	// cannot be opened now, which the screen tells with an offer to try again.
	// With neither, the screen comes first and the incident after it. Run closes
	// whichever session is the last.
	Session Session
	OpenErr error

	// Importer makes incidents of logs and ledgers; nil where that cannot be done.
	Importer Importer

	In, Out *os.File // the terminal
	NoColor bool     // no colour at all; bold and reverse stay
	Theme   string   // one of Themes; "" is the first

	// StateDir is the folder that notes and copied texts are kept in; "" keeps none.
	StateDir string

	// Start is where it begins. Lab says that the incident is the lab's day, made on
	// the spot, and Flags are further words of the command line that started it.
	Start Start
	Lab   bool
	Flags []string

	// Tour begins with a guided tour, which is one of the lab's day.
	Tour bool

	// Record is written what goes to the terminal, as an asciicast file in which
	// no pause is longer than RecordIdle, if that is above 0; nil for no recording.
	Record     io.Writer
	RecordIdle time.Duration

	// Log is told messages, times and sizes, and never data; nil for nobody.
	Log *slog.Logger

	options []tea.ProgramOption // for tests
}

// Exit codes of Run. Those of signals are 128 and the signal's number.
const (
	exitFailed      = 1
	exitHangup      = 129
	exitInterrupted = 130
	exitQuit        = 131
	exitTerminated  = 143
)

// lastMoments is how long Run waits for a terminal that does not answer.
const lastMoments = 800 * time.Millisecond

// Run shows the workbench until it is left and returns the exit code: 0 after
// quit, 129, 130, 131 or 143 after SIGHUP, ctrl+c (or SIGINT), SIGQUIT or SIGTERM,
// 1 with an error, that of the day's files included. The terminal is restored in
// every case, after a panic, too. Out must be a terminal.
func Run(ctx context.Context, cfg Config) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	m := newModel(ctx, cfg)
	signals := newSignals()
	m.suspend = signals.suspend
	screen := watch(cfg, m.log)
	p := tea.NewProgram(m, append(programOptions(cfg, screen), cfg.options...)...)
	m.alarm = func(broken *crash.Panic) { go p.Send(endMsg{exitFailed, broken}) }
	restore := terminalState(cfg.In)
	go signals.pass(p)
	code, err := runUntil(p, m, signals.ending)
	signals.stop()
	cancel()
	restore()
	m.putDown()
	err = errors.Join(err, screen.recordErr())
	if m.session != nil {
		err = errors.Join(err, m.session.Close())
	}
	if err != nil && code == 0 {
		code = exitFailed
	}
	return code, err
}

// programOptions: the signals are ours to handle, because the library ends with
// no error at SIGTERM, does not know SIGHUP, and stays on the screen after a
// SIGTSTP from outside.
func programOptions(cfg Config, screen *watched) []tea.ProgramOption {
	options := []tea.ProgramOption{
		tea.WithOutput(screen), tea.WithFilter(screen.resized), tea.WithFPS(50), tea.WithoutSignalHandler(),
	}
	if cfg.In != nil {
		options = append(options, tea.WithInput(cfg.In))
	}
	if cfg.NoColor {
		options = append(options, tea.WithColorProfile(colorprofile.Ascii))
	}
	return options
}

// runUntil runs the program to its end, or until shortly after a signal that it
// could not follow, its terminal being gone.
func runUntil(p *tea.Program, m *model, signalled <-chan int) (int, error) {
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	var code int
	var late <-chan time.Time
	for {
		select {
		case code = <-signalled:
			late = time.After(lastMoments)
		case <-late:
			return code, nil
		case err := <-ended:
			if code == 0 && err != nil {
				code = followed(signalled)
			}
			return endCode(m, code, err)
		}
	}
}

// followed is the signal that comes right after an error, if one does: a terminal
// that goes away is an error of reading first and a SIGHUP next.
func followed(signalled <-chan int) int {
	select {
	case code := <-signalled:
		return code
	case <-time.After(100 * time.Millisecond):
		return 0
	}
}

// terminalState returns what puts the terminal's modes back to what they are
// now. The library does so too, but not when it is stuck in a write.
func terminalState(in *os.File) func() {
	if in == nil {
		return func() {}
	}
	state, err := xterm.GetState(in.Fd())
	if err != nil {
		return func() {}
	}
	return func() { _ = xterm.Restore(in.Fd(), state) }
}

// endCode makes an exit code of how the program ended. A signal outranks the
// errors that it caused.
func endCode(m *model, signalled int, err error) (int, error) {
	switch {
	case signalled != 0:
		return signalled, nil
	case m.code != 0:
		return m.code, m.err
	case err != nil:
		return exitFailed, fmt.Errorf("terminal: %w", err)
	case m.err == nil && m.files.state == failed:
		return exitFailed, unwritten(m.cfg, m.files.err)
	}
	return 0, m.err
}

// unwritten is the error of leaving without the day's files: whoever started the
// workbench may count on them.
func unwritten(cfg Config, err error) error {
	return fmt.Errorf("the day's files are not in %s: %w", show(cfg.OutDir, 200), err)
}
