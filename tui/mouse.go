package tui

import tea "charm.land/bubbletea/v2"

// wheelLines is how far one notch of the wheel goes.
const wheelLines = 3

// mouseEvent: the wheel scrolls, a click selects a row, a place on the rail or a
// screen. Nothing needs the mouse.
func (m *model) mouseEvent(msg tea.MouseMsg) tea.Cmd {
	if m.tooSmall() || m.asking != nil {
		return nil
	}
	switch e := msg.(type) {
	case tea.MouseWheelMsg:
		return m.wheel(map[tea.MouseButton]int{tea.MouseWheelUp: -wheelLines, tea.MouseWheelDown: wheelLines}[e.Button])
	case tea.MouseClickMsg:
		if e.Button == tea.MouseLeft && m.over == nil && e.Y >= m.top && m.shows() {
			return m.screens[m.open].click(e.X, e.Y-m.top)
		}
	}
	return nil
}

func (m *model) wheel(d int) tea.Cmd {
	switch {
	case d == 0:
		return nil
	case m.over != nil:
		m.over.window.Scroll(d)
		return nil
	case !m.shows():
		return nil
	}
	return m.screens[m.open].wheel(d)
}
