package tui

import (
	"idem/tui/cells"
	"idem/tui/rows"
)

// overlay lies over a screen: the help, or the palette of commands.
type overlay struct {
	title   string
	maps    []section
	palette *commands // nil for the help
	window  rows.Window
}

// newHelp lists the live key map, with the reasons why keys do nothing.
func newHelp(maps []section) *overlay { return &overlay{title: "help", maps: maps} }

func (o *overlay) keys(m *model) section {
	if o.title == columnsTitle {
		return section{title: o.title, bindings: o.columnKeys(m)}
	}
	return section{title: o.title, bindings: append(scrollKeys(&o.window),
		binding{keys: []string{"?"}, name: "?", help: "close help", hint: "close", do: act(func() { m.over = nil })},
	)}
}

// scrollKeys move a window without a cursor.
func scrollKeys(w *rows.Window) []binding {
	half := func(d int) int { from, to := w.Range(); return d * max(1, (to-from)/2) }
	// That there is more than one sees is told at the bottom, or nobody looks for it.
	down, up := "", ""
	switch from, to := w.Range(); {
	case to < w.Len():
		down = many(int64(w.Len()-to), "more line", "more lines")
	case from > 0:
		up = "up"
	}
	return []binding{
		{keys: []string{"j", "down"}, name: "j ↓", help: "down", hint: down, do: act(func() { w.Scroll(1) })},
		{keys: []string{"k", "up"}, name: "k ↑", help: "up", hint: up, do: act(func() { w.Scroll(-1) })},
		{keys: []string{"ctrl+d", "pgdown"}, name: "ctrl+d", help: "half a screen down", do: act(func() { w.Scroll(half(1)) })},
		{keys: []string{"ctrl+u", "pgup"}, name: "ctrl+u", help: "half a screen up", do: act(func() { w.Scroll(half(-1)) })},
		{keys: []string{"g", "home"}, name: "g", help: "top", do: act(func() { w.Scroll(-w.Len()) })},
		{keys: []string{"G", "end"}, name: "G", help: "bottom", do: act(func() { w.Scroll(w.Len()) })},
	}
}

func (o *overlay) view(m *model, w, h int) []string {
	switch {
	case o.palette != nil:
		return o.palette.view(&m.theme, w, h)
	case o.title == columnsTitle:
		return o.columnsView(m, w, h)
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
			lines = append(lines, bindingLines(t, b, w)...)
		}
	}
	return append(lines, "", "  "+t.dim.Render("idem "+show(version, 40)+" · amounts are in the currency's major unit where its decimals are known, times are UTC"))
}

// bindingLines are a key, what it does and why it does nothing now: in one line
// where that fits, else the reason in others below it.
func bindingLines(t *theme, b binding, w int) (lines []string) {
	key := cells.Fit(b.name, 10)
	if b.why == "" {
		return []string{cells.Cut("   "+t.key.Render(key)+" "+b.help, w)}
	}
	const indent = 14
	if whole := "   " + key + " " + b.help + " — not now: " + b.why; cells.Width(whole) <= w {
		return []string{t.dim.Render(whole)}
	}
	lines = append(lines, t.dim.Render(cells.Cut("   "+key+" "+b.help, w)))
	for _, l := range cells.Wrap("not now: "+b.why, w-indent) {
		lines = append(lines, cells.Blank(indent)+t.dim.Render(l))
	}
	return lines
}
