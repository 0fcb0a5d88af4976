package tui

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"idem/tui/cells"
)

// tooSmallNotice says so in one line of whatever there is.
func tooSmallNotice(w, h int) string {
	long := fmt.Sprintf("terminal is %dx%d, needs %dx%d · q quits", w, h, leastWidth, leastHeight)
	if cells.Width(long) > w {
		return cells.Cut(fmt.Sprintf("needs %dx%d", leastWidth, leastHeight), w)
	}
	return long
}

// Forms of the tabs, from the widest: names apart, names close together, and
// the name of the open screen alone.
const (
	tabsApart = iota
	tabsClose
	tabsKeys
)

// header is the name, the incident and the screens: one line where it fits, two
// on a terminal that is high enough.
func (m *model) header(w, h int) []string {
	name := " " + m.theme.title.Render("idem") + "  "
	room := func(form int) int { return w - cells.Width(name) - cells.Width(m.tabs(form)) - 2 }
	switch {
	case room(tabsApart) >= 64:
		return []string{m.headLine(name, tabsApart, room(tabsApart))}
	case h < fullHeight && room(tabsClose) >= 30:
		return []string{m.headLine(name, tabsClose, room(tabsClose))}
	case h < fullHeight || w < fullWidth:
		return []string{m.headLine(name, tabsKeys, room(tabsKeys))}
	case room(tabsApart) < 0:
		return []string{cells.Fit(m.tabs(tabsClose), w), name + cells.Fit(m.about(w-cells.Width(name)-1), w-cells.Width(name))}
	}
	if line := "double payments, and what stops them"; cells.Width(line) < room(tabsApart) {
		name += m.theme.dim.Render(line)
	}
	return []string{cells.Spread(name, m.tabs(tabsApart), w), " " + cells.Fit(m.about(w-2), w-1)}
}

// headLine is the header in one line.
func (m *model) headLine(name string, form, room int) string {
	return name + cells.Fit(m.about(room), room) + "  " + m.tabs(form)
}

// tabs names the screens with their keys. The open one is reverse, blanks at its
// sides included.
func (m *model) tabs(form int) string {
	gap := map[int]string{tabsApart: "  ", tabsClose: " ", tabsKeys: "  "}[form]
	line, lead := "", " "
	add := func(text string, open bool) {
		switch {
		case !open:
			line, lead = line+lead+text, gap
		default:
			line += gap[1:] + m.theme.tab.Render(" "+ansi.Strip(text)+" ")
			lead = gap[1:]
		}
	}
	for i, r := range rooms {
		open := i == m.open && m.over == nil
		text := m.theme.key.Render(strconv.Itoa(i + 1))
		if form != tabsKeys || open {
			text += " " + m.theme.dim.Render(r.name(form))
		}
		add(text, open)
	}
	// Close together the names leave no room for it; the line of hints has it too.
	if form == tabsClose {
		return line
	}
	add(m.theme.key.Render("?")+m.theme.dim.Render(" help"), m.over != nil && m.over.title == "help")
	return line + " "
}

// name is the room's in the tabs.
func (r *room) name(form int) string {
	if form == tabsClose && r.short != "" {
		return r.short
	}
	return r.title
}

// about says which incident is open, in at most w cells: what does not fit is
// left out whole, from the end.
func (m *model) about(w int) string {
	parts := []string{show(filepath.Base(m.cfg.File), max(8, w/2))}
	if n, ok := m.total(); ok {
		parts = append(parts, m.requests(n))
	}
	parts = append(parts, m.hashText(), "read-only")
	if e := m.evidence; e != nil {
		parts = append(parts, many(e.Size, "byte", "bytes"))
	}
	if m.changed {
		parts = append(parts[:1], append([]string{"CHANGED ON DISK (r opens it again)"}, parts[1:]...)...)
	}
	line := parts[0]
	for _, p := range parts[1:] {
		if cells.Width(line)+3+cells.Width(p) > w {
			break
		}
		line += " · " + p
	}
	return m.theme.dim.Render(cells.Cut(line, w))
}

// requests is how many there are; until they are counted, about how many.
func (m *model) requests(n int64) string {
	if m.player == nil {
		return "counting… at most " + number(n) + " requests"
	}
	return many(n, "request", "requests")
}

func (m *model) hashText() string {
	switch {
	case m.evidence != nil && len(m.evidence.SHA256) >= 12:
		h := m.evidence.SHA256
		return "sha256 " + h[:8] + "…" + h[len(h)-4:]
	case m.session == nil:
		return "not open"
	}
	return "sha256 counting…"
}

// footer is a prompt, a notice, or the keys one may want next.
func (m *model) footer(w int) string {
	switch {
	case m.asking != nil:
		return " " + m.asking.view(&m.theme, w-1)
	case m.notice != "":
		return " " + m.theme.notice.Render(show(m.notice, w-2))
	}
	return m.hints(w)
}

// hints are the keys that do something now and have a word for it.
func (m *model) hints(w int) string {
	line, used, seen := " ", 1, map[string]bool{}
	for _, s := range m.keyMap() {
		for _, b := range s.bindings {
			if b.hint == "" || b.why != "" || seen[b.keys[0]] {
				continue
			}
			seen[b.keys[0]] = true
			more := cells.Width(b.keys[0]) + 1 + cells.Width(b.hint) + 2
			if used += more; used > w {
				return line
			}
			line += m.theme.key.Render(b.keys[0]) + " " + m.theme.dim.Render(b.hint) + "  "
		}
	}
	return line
}
