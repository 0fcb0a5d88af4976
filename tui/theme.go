package tui

import (
	"charm.land/lipgloss/v2"
)

// theme is how things look on a terminal: dark or light, with colour or without.
// Nothing is told by colour alone.
type theme struct {
	colour, dark bool

	plain, dim, strong, title lipgloss.Style
	edge, tab, chosen         lipgloss.Style // frames, the open screen's tab, the selected row
	key, notice, failure      lipgloss.Style
	created, replayed         lipgloss.Style // outcomes
	inFlight, mismatch        lipgloss.Style
	refused, running          lipgloss.Style
	extra, stopped            lipgloss.Style // money that went out twice, money that did not
}

func newTheme(dark, colour bool) theme {
	t := theme{colour: colour, dark: dark}
	pick := lipgloss.LightDark(dark)
	paint := func(light, dark string) lipgloss.Style {
		style := lipgloss.NewStyle()
		if colour {
			style = style.Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
		}
		return style
	}
	t.plain = lipgloss.NewStyle()
	t.dim = paint("#6b7280", "#8b93a1")
	t.strong = lipgloss.NewStyle().Bold(true)
	t.title = paint("#374151", "#c3cad5").Bold(true)
	t.edge = paint("#b6bcc6", "#4b5361")
	t.tab = lipgloss.NewStyle().Bold(true).Reverse(true)
	t.chosen = lipgloss.NewStyle().Reverse(true)
	t.key = paint("#1d4ed8", "#7fb0ff").Bold(true)
	t.notice = paint("#92400e", "#ffc66d")
	t.failure = paint("#b91c1c", "#ff7b7b").Bold(true)
	t.created = paint("#15803d", "#5fd38a")
	t.replayed = paint("#1d4ed8", "#7fb0ff")
	t.inFlight = paint("#b45309", "#ffb454")
	t.mismatch = paint("#be123c", "#ff7b9c").Bold(true)
	t.refused = paint("#6d28d9", "#c4a1ff")
	t.running = paint("#6b7280", "#8b93a1")
	t.extra = paint("#be123c", "#ff7b7b").Bold(true)
	t.stopped = paint("#15803d", "#5fd38a").Bold(true)
	return t
}

// paint is a style as a function on plain text of one line.
func paint(s lipgloss.Style) func(string) string {
	return func(text string) string { return s.Render(text) }
}
