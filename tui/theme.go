package tui

import (
	"slices"

	"charm.land/lipgloss/v2"

	"idem/tui/markdown"
)

// theme is how things look on a terminal: dark or light, with colour or without.
// Nothing is told by colour alone.
type theme struct {
	colour, dark bool
	page         markdown.Look // the report's

	plain, dim, strong, title ink
	edge, tab, chosen         ink // frames, the open screen's tab, the selected row
	key, notice, failure      ink
	created, replayed         ink // outcomes
	inFlight, mismatch        ink
	refused, running          ink
	extra, stopped            ink // money that went out twice, money that did not
}

// shade is a colour on a light background and the one on a dark background.
type shade struct{ light, dark string }

// palette is the colours that tell things apart.
type palette struct {
	dim, title, edge      shade
	key, notice           shade
	bad, good             shade // failures and money paid twice; what was created or stopped
	inFlight, mismatch    shade
	replayed, refusedOnes shade
}

var palettes = struct{ standard, contrast, safe palette }{
	standard: palette{
		dim: shade{"#5f6673", "#8b93a1"}, title: shade{"#374151", "#c3cad5"}, edge: shade{"#b6bcc6", "#4b5361"},
		key: shade{"#1d4ed8", "#7fb0ff"}, notice: shade{"#92400e", "#ffc66d"},
		bad: shade{"#be123c", "#ff7b7b"}, good: shade{"#12732f", "#5fd38a"},
		inFlight: shade{"#9a4a05", "#ffb454"}, mismatch: shade{"#be123c", "#ff7b9c"},
		replayed: shade{"#1d4ed8", "#7fb0ff"}, refusedOnes: shade{"#6d28d9", "#c4a1ff"},
	},
	// Every text at 7:1 or more.
	contrast: palette{
		dim: shade{"#333333", "#d0d0d0"}, title: shade{"#000000", "#ffffff"}, edge: shade{"#555555", "#bbbbbb"},
		key: shade{"#0000a8", "#9fd0ff"}, notice: shade{"#5c2c00", "#ffe08a"},
		bad: shade{"#8a0019", "#ffb0b0"}, good: shade{"#004d1a", "#8dffb0"},
		inFlight: shade{"#5c2c00", "#ffd080"}, mismatch: shade{"#8a0019", "#ffb0c8"},
		replayed: shade{"#0000a8", "#9fd0ff"}, refusedOnes: shade{"#4a0a9e", "#dcc4ff"},
	},
	// Blue against orange, which eyes without red or green tell apart too.
	safe: palette{
		dim: shade{"#5f6673", "#8b93a1"}, title: shade{"#374151", "#c3cad5"}, edge: shade{"#b6bcc6", "#4b5361"},
		key: shade{"#374151", "#e5e9f0"}, notice: shade{"#806200", "#f0e442"},
		bad: shade{"#7a2500", "#ff9e4a"}, good: shade{"#00639c", "#56b4e9"},
		inFlight: shade{"#806200", "#f0e442"}, mismatch: shade{"#7a2500", "#ff9e4a"},
		replayed: shade{"#111827", "#f5f5f5"}, refusedOnes: shade{"#5f6673", "#a8adb8"},
	},
}

// themeChoice is a theme that can be asked for by name.
type themeChoice struct {
	name    string
	palette *palette
	dark    func(asked bool) bool // whether it is drawn for a dark background
}

var themeChoices = []themeChoice{
	{"auto", &palettes.standard, func(asked bool) bool { return asked }},
	{"dark", &palettes.standard, func(bool) bool { return true }},
	{"light", &palettes.standard, func(bool) bool { return false }},
	{"high-contrast", &palettes.contrast, func(asked bool) bool { return asked }},
	{"red-green-safe", &palettes.safe, func(asked bool) bool { return asked }},
}

// Themes are the names of the themes, the one that is used unless another is
// asked for first.
func Themes() []string {
	names := make([]string, len(themeChoices))
	for i, c := range themeChoices {
		names[i] = c.name
	}
	return names
}

// newTheme is the theme of a name, "" and unknown ones being auto. dark says what
// the terminal's background is; only dark and light do not mind.
func newTheme(name string, dark bool, has colours) theme {
	c := themeChoices[max(0, slices.Index(Themes(), name))]
	return c.palette.theme(c.dark(dark), has)
}

// colours is what a terminal has of them. From the many the library finds the
// nearest of 256 by itself.
type colours int

const (
	noColours colours = iota
	sixteenColours
	manyColours
)

func (p *palette) theme(dark bool, has colours) theme {
	paint := func(s shade) ink {
		if has == noColours {
			return newInk(lipgloss.NewStyle())
		}
		return newInk(lipgloss.NewStyle().Foreground(lipgloss.Color(s.drawn(dark, has))))
	}
	return theme{
		colour: has != noColours, dark: dark,
		page:  markdown.Look{Heading: p.key.drawn(dark, has), Code: p.notice.drawn(dark, has), Link: p.key.drawn(dark, has)},
		plain: newInk(lipgloss.NewStyle()), dim: paint(p.dim), strong: newInk(lipgloss.NewStyle().Bold(true)), title: paint(p.title).bold(),
		edge: paint(p.edge), tab: newInk(lipgloss.NewStyle().Bold(true).Reverse(true)), chosen: newInk(lipgloss.NewStyle().Reverse(true)),
		key: paint(p.key).bold(), notice: paint(p.notice), failure: paint(p.bad).bold(),
		created: paint(p.good), replayed: paint(p.replayed), inFlight: paint(p.inFlight), mismatch: paint(p.mismatch).bold(),
		refused: paint(p.refusedOnes), running: paint(p.dim),
		extra: paint(p.bad).bold(), stopped: paint(p.good).bold(),
	}
}

// drawn is the colour that a terminal is told; "" where it has none.
func (s shade) drawn(dark bool, has colours) string {
	switch has {
	case noColours:
		return ""
	case sixteenColours:
		return sixteen(s.on(dark), dark)
	}
	return s.on(dark)
}

func (s shade) on(dark bool) string {
	if dark {
		return s.dark
	}
	return s.light
}
