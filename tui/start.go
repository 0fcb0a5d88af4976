package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"idem/tui/query"
)

// Start is where the workbench begins: a screen, and on it a position or a filter.
type Start struct {
	Screen string // one of Screens; "" is the first, or the replay where At is given
	At     int64  // position in the replay
	Filter string // of the incident's or the replay's list
}

// Screens are the names of the screens, in the order of their keys.
func Screens() (names []string) {
	for i := range rooms {
		names = append(names, screenName(i))
	}
	return names
}

func screenName(i int) string { return strings.ReplaceAll(strings.ToLower(rooms[i].title), " ", "-") }

// Check tells what cannot be begun with.
func (s Start) Check() error {
	room, err := s.room()
	switch {
	case err != nil:
		return err
	case s.At < 0 || (s.At > 0 && room != replayRoom):
		return fmt.Errorf("a position is a number of the replay screen")
	case s.Filter == "":
		return nil
	case room == incidentRoom:
		_, err = query.Parse(s.Filter, groupFields)
	case room == replayRoom:
		_, err = query.Parse(s.Filter, stepFields)
	default:
		err = fmt.Errorf("only the incident and the replay begin with a filter")
	}
	return err
}

func (s Start) room() (int, error) {
	if s.Screen == "" {
		if s.At > 0 {
			return replayRoom, nil
		}
		return incidentRoom, nil
	}
	i := slices.Index(Screens(), s.Screen)
	if i < 0 {
		return 0, fmt.Errorf("no screen %q: it is one of %s", s.Screen, strings.Join(Screens(), ", "))
	}
	return i, nil
}

// begin goes where the start says, once, when the incident is open.
func (m *model) begin() {
	s := m.cfg.Start
	m.cfg.Start = Start{}
	room, err := s.room()
	if err != nil || s == (Start{}) {
		return
	}
	m.show(room)
	switch room {
	case incidentRoom:
		m.screens[room].(*incidentScreen).list.sieve.set(s.Filter, groupFields)
	case replayRoom:
		r := m.screens[room].(*replayScreen)
		r.sieve.set(s.Filter, stepFields)
		r.want = goal{pos: s.At, run: true}
	}
}

// startWords are the flags that begin with what is on the screen now.
func (m *model) startWords() []string {
	words := []string{"--screen", screenName(m.open)}
	filter := ""
	switch m.open {
	case incidentRoom:
		filter = m.screens[m.open].(*incidentScreen).list.sieve.text()
	case replayRoom:
		r := m.screens[m.open].(*replayScreen)
		filter = r.sieve.text()
		if r.page.pos > 0 {
			words = append(words, "--at", strconv.FormatInt(r.page.pos, 10))
		}
	}
	if filter != "" {
		words = append(words, "--filter", shellWord(filter))
	}
	return words
}

// startLine is the command line that shows what is on the screen. The lab's day
// needs no file: it is made on the spot.
func (m *model) startLine() string {
	words := []string{"idem", "open"}
	if !m.cfg.Lab {
		words = append(words, quoted(m.cfg.File))
	}
	words = append(words, m.startWords()...)
	words = append(words, narrowFlags(m.cfg.Narrow)...)
	for _, word := range m.cfg.Flags {
		words = append(words, shellWord(word))
	}
	return strings.Join(words, " ")
}

// startKey copies it.
func (m *model) startKey() binding {
	return binding{keys: []string{"ctrl+y"}, name: "ctrl+y", help: "copy the command line that shows this screen", do: func() tea.Cmd {
		return m.copyText("command", m.startLine())
	}}
}
