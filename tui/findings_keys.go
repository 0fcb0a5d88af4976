package tui

import tea "charm.land/bubbletea/v2"

func (s *findingsScreen) keys() section {
	if s.page != findingsList {
		return section{title: "Findings", bindings: append(scrollKeys(&s.scroll), s.findingKeys()...)}
	}
	return section{title: "Findings", bindings: append(s.listKeys(), s.findingKeys()...)}
}

func (s *findingsScreen) listKeys() []binding {
	none := unless(s.list.selected() != nil, "no finding in the list")
	looking := unless(s.found != nil, "still looking")
	next := findingOrders[(s.list.sortBy+1)%len(findingOrders)].name
	quiet := map[bool]string{false: "show what only looks like a duplicate, too", true: "hide what only looks like a duplicate"}[s.list.quiet]
	return append(moveKeys(&s.list.window, none, func() tea.Cmd { return nil }),
		binding{keys: []string{"enter"}, name: "enter", help: "the finding in full", hint: "open", why: none, do: act(func() { s.turnTo(findingsOne) })},
		binding{keys: []string{"/"}, name: "/", help: "filter by words and fields; the prompt lists them, tab completes", hint: "filter", why: looking, do: act(s.askFilter)},
		binding{keys: []string{"f"}, name: "f", help: "lift the filter for a moment, or let it down again", why: s.list.sieve.whyNoLift(), do: s.list.lift},
		binding{keys: []string{"s"}, name: "s", help: "sort by " + next, hint: "sort", why: looking, do: s.list.next},
		binding{keys: []string{"S"}, name: "S", help: "sort the other way round", why: looking, do: s.list.turn},
		binding{keys: []string{"a"}, name: "a", help: quiet, hint: "all", why: looking, do: s.list.toggleQuiet},
	)
}

func (s *findingsScreen) findingKeys() []binding {
	f := s.list.selected()
	none := unless(f != nil, "no finding is selected")
	logged := f != nil && len(f.Sends) > 0 && f.Sends[len(f.Sends)-1].Known
	return []binding{
		{keys: []string{"b"}, name: "b", help: "sums by client and by payee", hint: "sums", why: unless(s.found != nil, "still looking"), do: act(func() { s.turnTo(findingsTotal) })},
		{keys: []string{"x"}, name: "x", help: "write the lists of refunds", hint: "refunds", why: s.whyNoRefunds(), do: s.writeRefunds},
		{keys: []string{"v"}, name: "v", help: "see the finding's last request in the replay", hint: "replay", why: unless(logged, "no request of the log is selected"), do: s.toReplay},
		s.cellKey(none, func() []cell { return findingCells(f) }),
		{keys: []string{"Y"}, name: "Y", help: "copy the row as JSON", why: none, do: func() tea.Cmd { return s.copyText("row", findingJSON(f)) }},
	}
}

func (s *findingsScreen) whyNoRefunds() string {
	switch {
	case s.found == nil:
		return "still looking"
	case s.lists.state == busy:
		return "they are being written"
	case s.found.Totals.Findings == 0:
		return "no transfer is accused, so there is nothing to refund"
	}
	return ""
}

func (s *findingsScreen) turnTo(p findingsPage) {
	if s.page != p {
		s.page = p
		s.scroll.To(0)
	}
}

// askFilter filters while one types. Leaving it brings the old filter back.
func (s *findingsScreen) askFilter() {
	before := s.list.sieve.text()
	s.ask(asking{
		label: "find",
		about: findingFields,
		typed: s.list.filtered,
		enter: s.list.filtered,
		leave: func() tea.Cmd { return s.list.filtered(before) },
	})
}
