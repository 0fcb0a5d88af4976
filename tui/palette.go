package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"idem/tui/cells"
	"idem/tui/rows"
)

// commands is everything that can be done, on any screen, found by its name.
type commands struct {
	all    []action
	filter string
	window rows.Window
}

// action is a binding with the place where its key counts.
type action struct {
	binding
	place string
	room  int // the screen to open first; -1 for none
}

// openPalette lists what can be done and lets one choose by typing.
func (m *model) openPalette() {
	p := &commands{all: m.actions()}
	m.over = &overlay{title: "commands", palette: p}
	typed := func(text string) tea.Cmd { p.sift(text); return nil }
	m.ask(asking{
		label: "command", once: true,
		typed: typed,
		moved: p.moved,
		enter: func(string) tea.Cmd { return m.runChosen(p) },
		leave: func() tea.Cmd { m.over = nil; return nil },
	})
	p.sift(m.asking.line.Text())
}

// actions are those of the open screen, of the workbench, and of the other
// screens, in this order.
func (m *model) actions() (list []action) {
	add := func(s section, room int) {
		for _, b := range s.bindings {
			list = append(list, action{b, s.title, room})
		}
	}
	for _, s := range m.screenKeys() {
		add(s, -1)
	}
	for i, s := range m.screens {
		if i != m.open {
			add(s.keys(), i)
		}
	}
	return list
}

// sift keeps the actions that hold every word of text, in what they do, in the
// name of their place or as their key.
func (p *commands) sift(text string) {
	p.filter = strings.ToLower(text)
	p.window.SetLen(len(p.chosen()))
	p.window.To(0)
}

func (p *commands) chosen() []action {
	words := strings.Fields(p.filter)
	return slices.DeleteFunc(slices.Clone(p.all), func(a action) bool {
		text := strings.ToLower(a.help + " " + a.place)
		return slices.ContainsFunc(words, func(word string) bool {
			return !strings.Contains(text, word) && !slices.ContainsFunc(a.keys, func(k string) bool { return strings.EqualFold(k, word) })
		})
	})
}

// moved moves the cursor; false for keys that are none of its own.
func (p *commands) moved(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "down", "ctrl+n", "tab":
		p.window.Move(1)
	case "up", "ctrl+p", "shift+tab":
		p.window.Move(-1)
	case "pgdown":
		p.window.Half(2)
	case "pgup":
		p.window.Half(-2)
	default:
		return false
	}
	return true
}

// runChosen runs the action under the cursor, on its screen.
func (m *model) runChosen(p *commands) tea.Cmd {
	m.over = nil
	list := p.chosen()
	if len(list) == 0 {
		m.tell("no such command")
		return nil
	}
	a := list[p.window.Cursor()]
	if a.why != "" || a.room < 0 {
		return m.press(a.binding)
	}
	m.show(a.room)
	return tea.Batch(m.screens[a.room].shown(), m.press(a.binding))
}

func (p *commands) view(t *theme, w, h int) []string {
	list := p.chosen()
	lines := []string{"", "  " + t.title.Render("Commands") + t.dim.Render("  type to narrow down, up and down choose, enter runs, esc closes"), p.reason(t, list, w)}
	p.window.SetHeight(h - len(lines))
	from, to := p.window.Range()
	for i := from; i < to; i++ {
		lines = append(lines, list[i].line(t, i == p.window.Cursor(), w))
	}
	if len(list) == 0 {
		lines = append(lines, "   "+t.dim.Render("no such command"))
	}
	return cells.Block(lines, w, h)
}

// reason is why the action under the cursor does nothing now, in full.
func (p *commands) reason(t *theme, list []action, w int) string {
	if i := p.window.Cursor(); i < len(list) && list[i].why != "" {
		return "  " + t.notice.Render(cells.Cut("not now: "+list[i].why, w-4))
	}
	return ""
}

// line is an action with its key and place. One that does nothing now says so
// itself, since nobody sees dim letters everywhere.
func (a *action) line(t *theme, chosen bool, w int) string {
	place := a.place
	text := a.help
	if a.why != "" {
		text += " — not now: " + a.why
	}
	key, room := cells.Fit(a.name, 10), w-17-cells.Width(place)
	switch {
	case chosen:
		return t.chosen.Render(cells.Spread(" › "+key+" "+cells.Cut(text, room), place+" ", w))
	case a.why != "":
		return t.dim.Render(cells.Spread("   "+key+" "+cells.Cut(text, room), place+" ", w))
	}
	return cells.Spread("   "+t.key.Render(key)+" "+cells.Cut(text, room), t.dim.Render(place)+" ", w)
}
