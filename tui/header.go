package tui

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

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

// header is the name, the incident and the screens: one line where it fits, two
// on a terminal that is high enough.
func (m *model) header(w, h int) []string {
	left := " " + m.theme.title.Render("idem") + "  "
	tabs := m.tabs(true)
	if w < fullWidth {
		tabs = m.tabs(false)
	}
	if wide := w - cells.Width(left) - cells.Width(tabs) - 2; wide >= 64 || h < fullHeight {
		return []string{left + cells.Fit(m.about(wide), wide) + "  " + tabs}
	}
	if line := "double payments, and what stops them"; cells.Width(left+line+tabs) < w {
		left += m.theme.dim.Render(line)
	}
	return []string{
		cells.Spread(left, tabs, w),
		" " + cells.Fit(m.about(w-2), w-1),
	}
}

// tabs names the screens with their keys; short leaves the names of those out
// that are not open.
func (m *model) tabs(long bool) string {
	var b strings.Builder
	for i, r := range rooms {
		key := strconv.Itoa(i + 1)
		switch {
		case i == m.open && m.over == nil:
			b.WriteString(m.theme.tab.Render(" " + key + " " + r.title + " "))
		case long:
			b.WriteString(" " + m.theme.key.Render(key) + " " + m.theme.dim.Render(r.title) + " ")
		default:
			b.WriteString(" " + m.theme.key.Render(key) + " ")
		}
	}
	if m.over != nil && m.over.title == "help" {
		return b.String() + m.theme.tab.Render(" ? help ")
	}
	return b.String() + " " + m.theme.key.Render("?") + m.theme.dim.Render(" help ")
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
