package tui

import (
	tea "charm.land/bubbletea/v2"

	"idem/tui/rows"
)

func (s *incidentScreen) keys() section {
	if s.open || s.problems {
		return section{title: "Incident", bindings: append(scrollKeys(&s.scroll), s.detailKeys()...)}
	}
	return section{title: "Incident", bindings: append(s.listKeys(), s.detailKeys()...)}
}

func (s *incidentScreen) listKeys() []binding {
	none := unless(s.list.window.Len() > 0, "no key in the list")
	counting := unless(s.found != nil, "still counting")
	return append(moveKeys(&s.list.window, none, s.ask),
		binding{keys: []string{"enter"}, name: "enter", help: "what happened under the key", hint: "open", why: none, do: act(s.openStory)},
		binding{keys: []string{"/"}, name: "/", help: "filter by words and fields; the prompt lists them, tab completes", hint: "filter", why: counting, do: act(s.askFilter)},
		binding{keys: []string{"f"}, name: "f", help: "lift the filter for a moment, or let it down again", why: s.list.sieve.whyNoLift(), do: s.list.lift},
		binding{keys: []string{"s"}, name: "s", help: "sort by " + sortings[(s.list.sortBy+1)%len(sortings)].name, hint: "sort", why: counting, do: s.list.next},
		binding{keys: []string{"S"}, name: "S", help: "sort the other way round", why: counting, do: s.list.turn},
		binding{keys: []string{":"}, name: ":", help: "go to a row by its number", why: none, do: act(s.askRow)},
		binding{keys: []string{"u"}, name: "u", help: "rows that could not be used or matched", hint: s.problemHint(), why: s.whyNoProblems(), do: act(s.openProblems)},
	)
}

func (s *incidentScreen) detailKeys() []binding {
	none := unless(s.list.selected() != nil, "no key is selected")
	return []binding{
		{keys: []string{"v"}, name: "v", help: "see the key's first retry in the replay", hint: "replay", why: unless(s.retry() > 0, "no retry of a key is selected"), do: s.toReplay},
		s.cellKey(none, func() []cell { return groupCells(s.list.selected()) }),
		{keys: []string{"Y"}, name: "Y", help: "copy the row as JSON", why: none, do: func() tea.Cmd { return s.copyText("row", groupJSON(s.list.selected())) }},
		s.commandKey("analyze"),
	}
}

// moveKeys move a window's cursor; then is asked what to do at the new row.
func moveKeys(w *rows.Window, none string, then func() tea.Cmd) []binding {
	to := func(keys []string, name, help string, move func()) binding {
		return binding{keys: keys, name: name, help: help, why: none, do: func() tea.Cmd { move(); return then() }}
	}
	return []binding{
		to([]string{"j", "down"}, "j ↓", "next row", func() { w.Move(1) }),
		to([]string{"k", "up"}, "k ↑", "previous row", func() { w.Move(-1) }),
		to([]string{"ctrl+d", "pgdown"}, "ctrl+d", "half a screen down", func() { w.Half(1) }),
		to([]string{"ctrl+u", "pgup"}, "ctrl+u", "half a screen up", func() { w.Half(-1) }),
		to([]string{"g", "home"}, "g", "first row", func() { w.To(0) }),
		to([]string{"G", "end"}, "G", "last row", func() { w.To(w.Len() - 1) }),
	}
}

func (s *incidentScreen) openStory() {
	s.open = true
	s.scroll = rows.Window{}
}

func (s *incidentScreen) openProblems() {
	s.problems = true
	s.scroll = rows.Window{}
}

// askFilter filters while one types. Leaving it brings the old filter back; the
// text waits in the prompt for the next time.
func (s *incidentScreen) askFilter() {
	before := s.list.sieve.text()
	s.desk.ask(asking{
		label: "filter",
		about: groupFields,
		typed: s.list.filtered,
		enter: s.list.filtered,
		leave: func() tea.Cmd { return s.list.filtered(before) },
	})
}

func (s *incidentScreen) askRow() {
	s.desk.ask(asking{label: "row", enter: func(text string) tea.Cmd {
		n, ok := wholeNumber(text)
		if !ok {
			s.tell("a row is a number from 1 to " + number(int64(s.list.window.Len())))
			return nil
		}
		s.list.window.To(int(min(n, 1<<31)) - 1)
		return s.ask()
	}})
}

// retry is the position of the selected key's second request; 0 while unknown.
func (s *incidentScreen) retry() int64 {
	g := s.list.selected()
	if g == nil || !s.story.known || s.story.key != g.Scope {
		return 0
	}
	switch r := s.story.requests; len(r) {
	case 0:
		return 0
	case 1:
		return r[0].N
	default:
		return r[1].N
	}
}

func (s *incidentScreen) toReplay() tea.Cmd {
	n := s.retry()
	s.enter(replayRoom)
	return func() tea.Msg { return seekMsg{n} }
}
