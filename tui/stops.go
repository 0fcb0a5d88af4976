package tui

import (
	tea "charm.land/bubbletea/v2"

	"idem/tui/cells"
	"idem/tui/query"
	"idem/tui/rows"
)

// breakpoint ends a run or a playback at a step of which its query holds.
type breakpoint struct {
	query query.Query
	off   bool
}

// stops are the breakpoints, and whether their list has the screen.
type stops struct {
	list   []breakpoint
	open   bool
	window rows.Window
}

// enabled are those that are on, a list of its own for a command.
func (s *stops) enabled() (list []breakpoint) {
	for _, b := range s.list {
		if !b.off {
			list = append(list, b)
		}
	}
	return list
}

func (r *replayScreen) askStop() {
	r.ask(asking{
		label: "stop where", once: true,
		about: stepFields,
		enter: func(text string) tea.Cmd {
			q, err := query.Parse(text, stepFields)
			if err != nil || q.Empty() {
				return nil
			}
			r.stops.list = append(r.stops.list, breakpoint{query: q})
			r.stops.window.SetLen(len(r.stops.list))
			r.tell("breakpoint " + show(text, 60) + "; space and G stop there, B lists them all")
			return nil
		},
	})
}

func (r *replayScreen) openStops() {
	r.stop()
	r.stops.open = true
	r.stops.window.SetLen(len(r.stops.list))
}

func (r *replayScreen) stopsKeys() []binding {
	s := &r.stops
	none := unless(len(s.list) > 0, "there is no breakpoint")
	keys := moveKeys(&s.window, none, func() tea.Cmd { return nil })
	return append(keys,
		binding{keys: []string{"space", "enter"}, name: "space", help: "turn the breakpoint off or on", hint: "on/off", why: none, do: act(s.turn)},
		binding{keys: []string{"x", "delete"}, name: "x", help: "remove the breakpoint", hint: "remove", why: none, do: act(s.remove)},
		binding{keys: []string{"b"}, name: "b", help: "another breakpoint", hint: "add", do: act(r.askStop)},
		binding{keys: []string{"esc", "B"}, name: "esc", help: "close the list", hint: "close", do: act(func() { s.open = false })},
	)
}

func (s *stops) turn() {
	b := &s.list[s.window.Cursor()]
	b.off = !b.off
}

func (s *stops) remove() {
	i := s.window.Cursor()
	s.list = append(s.list[:i:i], s.list[i+1:]...)
	s.window.SetLen(len(s.list))
}

func (s *stops) view(t *theme, w, h int) []string {
	lines := []string{"", " " + t.title.Render("Breakpoints") + t.dim.Render("  a run or a playback stops where one of them holds"), ""}
	s.window.SetHeight(h - len(lines))
	from, to := s.window.Range()
	for i := from; i < to; i++ {
		mark, word := "●", "on "
		if s.list[i].off {
			mark, word = "○", "off"
		}
		line := cells.Cut(" "+mark+" "+word+"  "+show(s.list[i].query.Text(), w-10), w)
		if i == s.window.Cursor() {
			line = t.chosen.Render(cells.Fit(line, w))
		}
		lines = append(lines, line)
	}
	if len(s.list) == 0 {
		lines = append(lines, "   "+t.dim.Render("none; b makes one"))
	}
	return cells.Block(lines, w, h)
}
