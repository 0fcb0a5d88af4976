package tui

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	xterm "github.com/charmbracelet/x/term"

	"idem/tui/cast"
)

// watched is the terminal with what looks on: the log, and a recording if there
// is one. It shows the library nothing but what it takes for a terminal.
type watched struct {
	term xterm.File
	rec  *cast.Recorder // nil for none
	log  *slog.Logger
}

// watch begins to record, where that is asked for.
func watch(cfg Config, log *slog.Logger) *watched {
	s := &watched{term: cfg.Out, log: log}
	if cfg.Record == nil {
		return s
	}
	w, h, err := xterm.GetSize(cfg.Out.Fd())
	if err != nil {
		w, h = fullWidth, fullHeight
	}
	s.rec = cast.New(cfg.Record, cast.Options{Width: w, Height: h, Term: os.Getenv("TERM"), Clock: time.Now, Idle: cfg.RecordIdle})
	return s
}

func (s *watched) Read(b []byte) (int, error) { return s.term.Read(b) }
func (s *watched) Close() error               { return s.term.Close() }
func (s *watched) Fd() uintptr                { return s.term.Fd() }

func (s *watched) Write(b []byte) (int, error) {
	start := time.Now()
	n, err := s.term.Write(b)
	s.log.Debug("written", "bytes", n, "took", time.Since(start), "failed", err != nil)
	if s.rec != nil {
		s.rec.Output(b[:n])
	}
	return n, err
}

// resized lets every message pass and has the recording know of new sizes.
func (s *watched) resized(_ tea.Model, msg tea.Msg) tea.Msg {
	if size, ok := msg.(tea.WindowSizeMsg); ok && s.rec != nil {
		s.rec.Resize(size.Width, size.Height)
	}
	return msg
}

// recordErr is what ended the recording before its time.
func (s *watched) recordErr() error {
	if s.rec == nil || s.rec.Err() == nil {
		return nil
	}
	return fmt.Errorf("the recording ends early: %w", s.rec.Err())
}
