package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"idem/tui/cells"
	"idem/tui/rows"
)

// overlay lies over a screen: the help, or the palette of commands.
type overlay struct {
	title  string
	maps   []section
	filter string
	window rows.Window
}

// newHelp lists the live key map, with the reasons why keys do nothing.
func newHelp(maps []section) *overlay { return &overlay{title: "help", maps: maps} }

// openPalette lists what can be done and lets one choose by typing.
func (m *model) openPalette() {
	over := &overlay{title: "commands", maps: m.screenKeys()}
	m.over = over
	m.ask(asking{
		label: "command",
		typed: func(text string) tea.Cmd { over.filter = text; return nil },
		enter: func(text string) tea.Cmd { over.filter = text; return m.runChosen(over) },
		leave: func() tea.Cmd { m.over = nil; return nil },
	})
	over.filter = m.asking.line.Text()
}

// runChosen runs the command under the palette's cursor.
func (m *model) runChosen(o *overlay) tea.Cmd {
	m.over = nil
	list := o.chosen()
	if len(list) == 0 {
		m.tell("no such command")
		return nil
	}
	m.drafts["command"] = ""
	return m.press(list[min(o.window.Cursor(), len(list)-1)])
}

// chosen are the bindings that the filter leaves.
func (o *overlay) chosen() []binding {
	var list []binding
	for _, s := range o.maps {
		for _, b := range s.bindings {
			if b.do != nil && contains(b.help, o.filter) {
				list = append(list, b)
			}
		}
	}
	return list
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func (o *overlay) keys(m *model) section {
	return section{title: o.title, bindings: append(scrollKeys(&o.window),
		binding{keys: []string{"?"}, name: "?", help: "close help", hint: "close", do: act(func() { m.over = nil })},
	)}
}

// scrollKeys move a window without a cursor.
func scrollKeys(w *rows.Window) []binding {
	half := func(d int) int { from, to := w.Range(); return d * max(1, (to-from)/2) }
	return []binding{
		{keys: []string{"j", "down"}, name: "j ↓", help: "down", do: act(func() { w.Scroll(1) })},
		{keys: []string{"k", "up"}, name: "k ↑", help: "up", do: act(func() { w.Scroll(-1) })},
		{keys: []string{"ctrl+d", "pgdown"}, name: "ctrl+d", help: "half a screen down", do: act(func() { w.Scroll(half(1)) })},
		{keys: []string{"ctrl+u", "pgup"}, name: "ctrl+u", help: "half a screen up", do: act(func() { w.Scroll(half(-1)) })},
		{keys: []string{"g", "home"}, name: "g", help: "top", do: act(func() { w.Scroll(-w.Len()) })},
		{keys: []string{"G", "end"}, name: "G", help: "bottom", do: act(func() { w.Scroll(w.Len()) })},
	}
}

func (o *overlay) view(m *model, w, h int) []string {
	if o.title == "commands" {
		return o.paletteView(&m.theme, w, h)
	}
	return scrolled(&o.window, o.helpLines(&m.theme, m.cfg.Version, w), w, h)
}

// scrolled shows the part of lines that window is at.
func scrolled(window *rows.Window, lines []string, w, h int) []string {
	window.SetLen(len(lines))
	window.SetHeight(h)
	from, to := window.Range()
	return cells.Block(lines[from:to], w, h)
}

func (o *overlay) helpLines(t *theme, version string, w int) []string {
	var lines []string
	for _, s := range o.maps {
		lines = append(lines, "", "  "+t.title.Render(s.title))
		for _, b := range s.bindings {
			lines = append(lines, bindingLine(t, b, w))
		}
	}
	return append(lines, "", "  "+t.dim.Render("idem "+show(version, 40)+" · amounts are in the currency's major unit where its decimals are known, times are UTC"))
}

// bindingLine is a key, what it does and why it does nothing now.
func bindingLine(t *theme, b binding, w int) string {
	key := cells.Fit(b.name, 10)
	if b.why == "" {
		return cells.Cut("   "+t.key.Render(key)+" "+b.help, w)
	}
	return cells.Cut("   "+t.dim.Render(key+" "+b.help+" — not now: "+b.why), w)
}

func (o *overlay) paletteView(t *theme, w, h int) []string {
	list := o.chosen()
	lines := []string{"", "  " + t.title.Render("Commands") + t.dim.Render("  type to narrow down, enter runs the first, esc closes"), ""}
	for i, b := range list {
		line := bindingLine(t, b, w)
		if i == 0 {
			line = t.chosen.Render(cells.Fit("   "+cells.Fit(b.name, 10)+" "+b.help, w))
		}
		lines = append(lines, line)
	}
	if len(list) == 0 {
		lines = append(lines, "   "+t.dim.Render("no such command"))
	}
	return cells.Block(lines, w, h)
}
