package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// binding is what some keys do at this moment.
type binding struct {
	keys []string // as Bubble Tea names them
	name string   // as help shows them
	help string   // what they do, one line
	hint string   // one word for the bottom line; "" keeps it off
	why  string   // why they do nothing now; "" when they do
	do   func() tea.Cmd
}

// section is a part of the key map.
type section struct {
	title    string
	bindings []binding
}

// find looks a key up. The first section that knows it wins.
func find(sections []section, key string) (binding, bool) {
	for _, s := range sections {
		for _, b := range s.bindings {
			if slices.Contains(b.keys, key) {
				return b, true
			}
		}
	}
	return binding{}, false
}

// press runs what a binding does, or tells why it does nothing.
func (d *desk) press(b binding) tea.Cmd {
	if b.why != "" {
		d.tell(b.name + ": " + b.why)
		return nil
	}
	if b.do == nil {
		return nil
	}
	return b.do()
}

// act is a binding's do for what needs no command.
func act(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return nil
	}
}

// unless is reason when blocked holds, else nothing: for binding.why.
func unless(ok bool, reason string) string {
	if ok {
		return ""
	}
	return reason
}
