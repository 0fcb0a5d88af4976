package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/tui/rows"
)

// findingsScreen shows who was paid twice and why: the findings, and the chain
// of the selected one from the money back to its cause.
type findingsScreen struct {
	*desk
	list   accusations
	found  *findings.Result
	look   *task // for the findings
	err    error
	lists  writing // of the refunds
	page   findingsPage
	scroll rows.Window

	tableTop, tableEnd int // line of the first row in the last view, cell behind its right edge
}

// findingsPage is what has the whole screen.
type findingsPage uint8

const (
	findingsList  findingsPage = iota
	findingsOne                // the selected one in full
	findingsTotal              // sums by client and by payee
)

// refundsMsg says that the lists of refunds are written.
type refundsMsg struct {
	of    Session
	names []string
	err   error
}

// positionMsg is where a request is in the day.
type positionMsg struct {
	of  Session
	pos int64
	err error
}

func newFindingsScreen(d *desk) *findingsScreen { return &findingsScreen{desk: d, look: new(task)} }

func (s *findingsScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		s.look.stop()
		*s = findingsScreen{desk: s.desk, look: s.look}
	case beatMsg:
		return s.look.beat(msg)
	case taskMsg:
		return s.took(msg)
	case listedMsg:
		s.list.took(msg)
	case refundsMsg:
		s.tookRefunds(msg)
	case positionMsg:
		return s.tookPosition(msg)
	}
	return nil
}

// shown looks for the findings the first time that they are wanted: it reads the
// whole file, which the other screens need not wait for.
func (s *findingsScreen) shown() tea.Cmd {
	if s.session == nil || s.found != nil || s.look.busy {
		return nil
	}
	s.err = nil
	session := s.session
	return s.look.start(s.ctx, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return session.Findings(ctx, progress)
	})
}

func (s *findingsScreen) took(msg taskMsg) tea.Cmd {
	if !s.look.took(msg) {
		return nil
	}
	if s.err = msg.err; s.err != nil {
		return nil
	}
	s.found = msg.got.(*findings.Result)
	return s.list.arrange(s.found)
}

// writeRefunds writes the lists of refunds beside the day's files.
func (s *findingsScreen) writeRefunds() tea.Cmd {
	s.lists = writing{state: busy}
	session, ctx, dir := s.session, s.ctx, s.cfg.OutDir
	return func() tea.Msg {
		names, err := session.Refunds(ctx, dir)
		return refundsMsg{session, names, err}
	}
}

func (s *findingsScreen) tookRefunds(msg refundsMsg) {
	switch {
	case msg.of != s.session:
	case msg.err != nil:
		s.lists = writing{state: failed, err: msg.err}
	default:
		s.lists = writing{state: done, names: msg.names}
	}
}

// toReplay goes to the request that moved the money again.
func (s *findingsScreen) toReplay() tea.Cmd {
	f := s.list.selected()
	session, ctx, seq := s.session, s.ctx, f.Sends[len(f.Sends)-1].Seq
	return func() tea.Msg {
		n, err := session.Position(ctx, seq)
		return positionMsg{session, n, err}
	}
}

func (s *findingsScreen) tookPosition(msg positionMsg) tea.Cmd {
	switch {
	case msg.of != s.session:
		return nil
	case errors.Is(msg.err, analysis.ErrNotFound) && !s.cfg.Narrow.IsZero():
		s.tell("the request is in another part of the day (Z gives all of it)")
		return nil
	case msg.err != nil:
		s.tell(oneLine(msg.err))
		return nil
	}
	s.enter(replayRoom)
	return func() tea.Msg { return seekMsg{msg.pos} }
}

func (s *findingsScreen) back() (tea.Cmd, bool) {
	switch {
	case s.page != findingsList:
		s.page = findingsList
		return nil, true
	case s.list.sieve.text() != "":
		return s.list.filtered(""), true
	}
	return nil, false
}

func (s *findingsScreen) wheel(d int) tea.Cmd {
	if s.page != findingsList {
		s.scroll.Scroll(d)
		return nil
	}
	s.list.window.Move(d)
	return nil
}

func (s *findingsScreen) click(x, y int) tea.Cmd {
	if s.page != findingsList || x >= s.tableEnd {
		return nil
	}
	if row, ok := s.list.window.At(y - s.tableTop); ok {
		s.list.window.To(row)
	}
	return nil
}
