package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// signals hands what the system tells the process to the program.
type signals struct {
	ending  chan int // exit codes of signals that end the program
	caught  chan os.Signal
	stopped chan os.Signal // somebody wants the program to stop
	resumed chan os.Signal // it goes on
	quit    chan struct{}
}

// exitCodes are those of the signals that end the program.
var exitCodes = map[os.Signal]int{
	syscall.SIGHUP: exitHangup, syscall.SIGINT: exitInterrupted, syscall.SIGQUIT: exitQuit, syscall.SIGTERM: exitTerminated,
}

// newSignals catches them from now on.
func newSignals() *signals {
	s := &signals{
		ending: make(chan int, 4), caught: make(chan os.Signal, 4),
		stopped: make(chan os.Signal, 1), resumed: make(chan os.Signal, 1), quit: make(chan struct{}),
	}
	// Left to itself, SIGQUIT would end the process with the terminal still raw.
	signal.Notify(s.caught, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	notifyStops(s.stopped, s.resumed)
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
	signal.Stop(s.resumed)
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
	return tea.Exec(stopper{s.resumed}, func(err error) tea.Msg { return resumedMsg{err} })
}

// stopper is run by the library while the terminal is as it was before.
type stopper struct{ resumed chan os.Signal }

func (stopper) SetStdin(io.Reader)  {}
func (stopper) SetStdout(io.Writer) {}
func (stopper) SetStderr(io.Writer) {}
