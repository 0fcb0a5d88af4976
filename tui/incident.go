package tui

import (
	"context"
	"errors"
	"slices"
	"time"

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
	asked    bool // a command is looking for those of wanted
	wanted   analysis.Scope
	halt     context.CancelFunc // gives that command up
	took     time.Duration      // how long the last one looked
	requests []analysis.Request
	err      error
}

// storyMost is how many requests of one key are shown.
const storyMost = 1000

// A look-up that takes longer than slowStory waits until the cursor has been on
// its key for restTime, so that a key held down does not start one a row.
const (
	slowStory = 40 * time.Millisecond
	restTime  = 120 * time.Millisecond
)

type storyMsg struct {
	of       Session
	key      analysis.Scope
	requests []analysis.Request
	took     time.Duration
	err      error
}

func newIncidentScreen(d *desk) *incidentScreen {
	return &incidentScreen{desk: d, list: newDuplicates()}
}

func (s *incidentScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		if s.story.asked {
			s.story.halt()
		}
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
	if errors.Is(msg.err, context.Canceled) {
		s.story.asked = false
		return s.ask()
	}
	s.story = story{key: msg.key, known: true, requests: msg.requests, took: msg.took, err: msg.err}
	return s.ask()
}

// ask looks up what happened under the selected key, one key at a time. A look-up
// for a key that the cursor has left is given up.
func (s *incidentScreen) ask() tea.Cmd {
	g := s.list.selected()
	switch {
	case g == nil || s.session == nil || s.ctx.Err() != nil || (s.story.known && s.story.key == g.Scope && !s.story.asked):
		return nil
	case s.story.asked && s.story.wanted != g.Scope:
		s.story.halt()
		return nil
	case s.story.asked:
		return nil
	}
	ctx, halt := context.WithCancel(s.ctx)
	s.story.asked, s.story.wanted, s.story.halt = true, g.Scope, halt
	session, key, slow := s.session, g.Scope, s.story.took > slowStory
	return func() tea.Msg {
		defer halt()
		return lookUp(ctx, session, key, slow)
	}
}

func lookUp(ctx context.Context, session Session, key analysis.Scope, slow bool) storyMsg {
	if slow {
		select {
		case <-ctx.Done():
			return storyMsg{of: session, key: key, err: ctx.Err()}
		case <-time.After(restTime):
		}
	}
	start := time.Now()
	requests, err := session.RequestsOf(ctx, key)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return storyMsg{session, key, requests, time.Since(start), err}
}

func (s *incidentScreen) back() (tea.Cmd, bool) {
	switch {
	case s.open || s.problems:
		s.open, s.problems = false, false
		return nil, true
	case s.list.sieve.text() != "":
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
