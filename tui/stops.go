package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/tui/cells"
	"idem/tui/notes"
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
			r.tell("breakpoint " + show(text, 60) + "; space and G stop there, B lists them all")
			return r.edit(r.notes.book.WithStop(q.Text(), false, time.Now()))
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
		binding{keys: []string{"space", "enter"}, name: "space", help: "turn the breakpoint off or on", hint: "on/off", why: none, do: r.turnStop},
		binding{keys: []string{"x", "delete"}, name: "x", help: "remove the breakpoint", hint: "remove", why: none, do: r.removeStop},
		binding{keys: []string{"b"}, name: "b", help: "another breakpoint", hint: "add", do: act(r.askStop)},
		binding{keys: []string{"esc", "B"}, name: "esc", help: "close the list", hint: "close", do: act(func() { s.open = false })},
	)
}

func (s *stops) chosen() breakpoint { return s.list[s.window.Cursor()] }

func (r *replayScreen) turnStop() tea.Cmd {
	b := r.stops.chosen()
	return r.edit(r.notes.book.WithStop(b.query.Text(), !b.off, time.Now()))
}

func (r *replayScreen) removeStop() tea.Cmd {
	return r.edit(r.notes.book.WithoutStop(r.stops.chosen().query.Text(), time.Now()))
}

// set takes over the stops of the book; one that this version cannot read stays
// there.
func (s *stops) set(kept []notes.Stop) {
	var at string
	if len(s.list) > 0 {
		at = s.chosen().query.Text()
	}
	s.list = nil
	cursor := s.window.Cursor()
	for _, k := range kept {
		q, err := query.Parse(k.Query, stepFields)
		if err != nil || q.Empty() {
			continue
		}
		if q.Text() == at {
			cursor = len(s.list)
		}
		s.list = append(s.list, breakpoint{query: q, off: k.Off})
	}
	s.window.SetLen(len(s.list))
	s.window.To(cursor)
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
