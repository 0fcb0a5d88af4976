package tui

import (
	"context"
	"strings"

	"idem/engine"
)

// KeyTable is the workbench's keys in Markdown, a table for each screen and one
// for the keys that all screens have.
func KeyTable() string {
	var b strings.Builder
	for _, s := range allKeys() {
		b.WriteString("| " + s.title + " | |\n|---|---|\n")
		for _, k := range s.bindings {
			b.WriteString("| " + k.marked() + " | " + k.help + " |\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// KeyList is the same in one table, with a row for each screen.
func KeyList() string {
	var b strings.Builder
	b.WriteString("| screen | keys |\n|---|---|\n")
	for _, s := range allKeys() {
		list := make([]string, len(s.bindings))
		for i, k := range s.bindings {
			list[i] = k.marked() + " " + k.help
		}
		b.WriteString("| " + s.title + " | " + strings.Join(list, "; ") + " |\n")
	}
	return b.String()
}

// allKeys are the key maps that keys are dispatched by.
func allKeys() []section {
	m := newModel(context.Background(), Config{Policy: engine.DefaultPolicy()})
	own := m.ownKeys()
	own.title = "Every screen"
	all := []section{own}
	for _, s := range m.screens {
		all = append(all, s.keys())
	}
	return all
}

// marked is the binding's name in Markdown, each key as code.
func (b *binding) marked() string {
	names := strings.Fields(b.name)
	for i, name := range names {
		names[i] = "`" + strings.ReplaceAll(name, "|", `\|`) + "`"
	}
	return strings.Join(names, " ")
}
