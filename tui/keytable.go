package tui

import (
	"context"
	"strings"

	"idem/engine"
)

// KeyTable is the workbench's keys in Markdown, a table for each screen and one
// for the keys that all screens have. It is read from the key maps that keys are
// dispatched by.
func KeyTable() string {
	m := newModel(context.Background(), Config{Policy: engine.DefaultPolicy()})
	var b strings.Builder
	section := m.ownKeys()
	section.title = "Every screen"
	section.table(&b)
	for _, s := range m.screens {
		keys := s.keys()
		keys.table(&b)
	}
	return b.String()
}

// table writes a section's keys as a table under its title.
func (s *section) table(b *strings.Builder) {
	b.WriteString("| " + s.title + " | |\n|---|---|\n")
	for _, k := range s.bindings {
		var names []string
		for _, name := range strings.Fields(k.name) {
			names = append(names, "`"+strings.ReplaceAll(name, "|", `\|`)+"`")
		}
		b.WriteString("| " + strings.Join(names, " ") + " | " + k.help + " |\n")
	}
	b.WriteString("\n")
}
