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
	Filter string // of the incident's, the replay's or the findings' list
}

// filterFields are what the lists that begin with a filter can be asked for.
var filterFields = map[int]query.Field{incidentRoom: groupFields, replayRoom: stepFields, findingsRoom: findingFields}

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
	case filterFields[room] == 0:
		return fmt.Errorf("only the incident, the replay and the findings begin with a filter")
	}
	_, err = query.Parse(s.Filter, filterFields[room])
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
	if list := m.sieveOf(room); list != nil {
		list.set(s.Filter, filterFields[room])
	}
	if r, ok := m.screens[room].(*replayScreen); ok {
		r.want = goal{pos: s.At, run: true}
	}
}

// sieveOf is the filter of a screen's list; nil where it has none to begin with.
func (m *model) sieveOf(room int) *sieve {
	switch s := m.screens[room].(type) {
	case *incidentScreen:
		return &s.list.sieve
	case *replayScreen:
		return &s.sieve
	case *findingsScreen:
		return &s.list.sieve
	}
	return nil
}

// startWords are the flags that begin with what is on the screen now.
func (m *model) startWords() []string {
	words := []string{"--screen", screenName(m.open)}
	if r, ok := m.screens[m.open].(*replayScreen); ok && r.page.pos > 0 {
		words = append(words, "--at", strconv.FormatInt(r.page.pos, 10))
	}
	if list := m.sieveOf(m.open); list != nil && list.text() != "" {
		words = append(words, "--filter", shellWord(list.text()))
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
