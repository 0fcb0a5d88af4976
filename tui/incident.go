package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/tui/rows"
)

// incidentScreen shows what went wrong: the sums, the keys that were paid more
// than once, and what happened under the selected one.
type incidentScreen struct {
	*desk
	list     duplicates
	story    story
	open     bool // the story has the whole screen
	problems bool // the rows that could not be used have it
	scroll   rows.Window
	tableTop int // line of the first row in the last view
	tableEnd int // cell behind its right edge
	cards    pane
}

// story is what happened under one key.
type story struct {
	key      analysis.Scope
	known    bool // requests are those of key
	asked    bool // a command is looking for them
	requests []analysis.Request
	err      error
}

// storyMost is how many requests of one key are shown.
const storyMost = 1000

type storyMsg struct {
	of       Session
	key      analysis.Scope
	requests []analysis.Request
	err      error
}

func newIncidentScreen(d *desk) *incidentScreen {
	return &incidentScreen{desk: d, list: newDuplicates()}
}

func (s *incidentScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		s.list, s.story, s.open, s.problems = newDuplicates(), story{}, false, false
	case foundMsg:
		if msg.of == s.session && msg.err == nil {
			return s.list.arrange(msg.got)
		}
	case orderedMsg:
		if s.list.took(msg) {
			return s.ask()
		}
	case storyMsg:
		return s.told(msg)
	}
	return nil
}

func (s *incidentScreen) shown() tea.Cmd { return s.ask() }

// told takes in a story. The cursor may have gone on meanwhile: then the next
// one is asked for, and those in between never are.
func (s *incidentScreen) told(msg storyMsg) tea.Cmd {
	if msg.of != s.session {
		return nil
	}
	s.story = story{key: msg.key, known: true, requests: msg.requests, err: msg.err}
	return s.ask()
}

// ask looks up what happened under the selected key, one key at a time.
func (s *incidentScreen) ask() tea.Cmd {
	g := s.list.selected()
	if g == nil || s.session == nil || s.story.asked || (s.story.known && s.story.key == g.Scope) {
		return nil
	}
	s.story.asked = true
	session, ctx, key := s.session, s.ctx, g.Scope
	return func() tea.Msg {
		requests, err := session.RequestsOf(ctx, key)
		return storyMsg{session, key, requests, err}
	}
}

func (s *incidentScreen) back() (tea.Cmd, bool) {
	switch {
	case s.open || s.problems:
		s.open, s.problems = false, false
		return nil, true
	case s.list.filter != "":
		return s.list.filtered(""), true
	}
	return nil, false
}

func (s *incidentScreen) wheel(d int) tea.Cmd {
	if s.open || s.problems {
		s.scroll.Scroll(d)
		return nil
	}
	s.list.window.Move(d)
	return s.ask()
}

func (s *incidentScreen) click(x, y int) tea.Cmd {
	if s.open || s.problems || x >= s.tableEnd {
		return nil
	}
	if row, ok := s.list.window.At(y - s.tableTop); ok {
		s.list.window.To(row)
	}
	return s.ask()
}

// kept reports whether a transfer is the one that should have been made, and
// whether it is an extra one. A transfer under a key that is no duplicate is
// neither.
func kept(g *analysis.Group, id string) (first, extra bool) {
	return id == g.Kept, slices.Contains(g.Extra, id)
}
