package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// signals hands what the system tells the process to the program.
type signals struct {
	ending  chan int // exit codes of signals that end the program
	caught  chan os.Signal
	stopped chan os.Signal
	quit    chan struct{}
}

// exitCodes are those of the signals that end the program.
var exitCodes = map[os.Signal]int{
	syscall.SIGHUP: exitHangup, syscall.SIGINT: exitInterrupted, syscall.SIGTERM: exitTerminated,
}

// newSignals catches them from now on.
func newSignals() *signals {
	s := &signals{
		ending: make(chan int, 4), caught: make(chan os.Signal, 4),
		stopped: make(chan os.Signal, 1), quit: make(chan struct{}),
	}
	signal.Notify(s.caught, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	signal.Notify(s.stopped, syscall.SIGTSTP)
	return s
}

// pass passes them on until stop. A program that does not listen, or has ended,
// must not hold the next signal up: hence the goroutines.
func (s *signals) pass(p *tea.Program) {
	for {
		select {
		case <-s.quit:
			return
		case sig := <-s.caught:
			s.ending <- exitCodes[sig]
			go p.Send(endMsg{code: exitCodes[sig]})
		case <-s.stopped:
			go p.Send(suspendMsg{})
		}
	}
}

func (s *signals) stop() {
	signal.Stop(s.caught)
	signal.Stop(s.stopped)
	close(s.quit)
}

// suspendMsg asks for the program to be stopped, by ctrl+z or by a SIGTSTP from
// outside; resumedMsg says that it goes on.
type (
	suspendMsg struct{}
	resumedMsg struct{ err error }
)

func suspendCmd() tea.Msg { return suspendMsg{} }

// suspend gives the terminal back, stops the process and takes the terminal
// again when the shell lets it go on.
func (s *signals) suspend() tea.Cmd {
	return tea.Exec(stopper{s}, func(err error) tea.Msg { return resumedMsg{err} })
}

// stopper is run by the library while the terminal is as it was before.
type stopper struct{ signals *signals }

// notStopped is how long a stop may take to come about. Where the system drops
// it, as it does for a process without a shell above it, the app goes on.
const notStopped = 250 * time.Millisecond

// Run stops the process group as ctrl+z in a shell would. The signal must have
// its default effect for that, so it is not caught meanwhile.
func (s stopper) Run() error {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	signal.Reset(syscall.SIGTSTP)
	defer signal.Notify(s.signals.stopped, syscall.SIGTSTP)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-resumed:
	case <-time.After(notStopped):
	}
	return nil
}

func (stopper) SetStdin(io.Reader)  {}
func (stopper) SetStdout(io.Writer) {}
func (stopper) SetStderr(io.Writer) {}
