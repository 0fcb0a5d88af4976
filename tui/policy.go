package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"idem/engine"
	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/rows"
)

// policyScreen shows what clients may rely on: every knob with its value.
type policyScreen struct {
	*desk
	scroll rows.Window
}

func newPolicyScreen(d *desk) *policyScreen { return &policyScreen{desk: d} }

func (p *policyScreen) update(tea.Msg) tea.Cmd { return nil }
func (p *policyScreen) shown() tea.Cmd         { return nil }
func (p *policyScreen) back() (tea.Cmd, bool)  { return nil, false }
func (p *policyScreen) click(int, int) tea.Cmd { return nil }

func (p *policyScreen) wheel(d int) tea.Cmd {
	p.scroll.Scroll(d)
	return nil
}

func (p *policyScreen) keys() section {
	return section{title: "Policy", bindings: append(scrollKeys(&p.scroll),
		binding{keys: []string{"y"}, name: "y", help: "copy the policy's hash", do: func() tea.Cmd { return p.copyText("hash", p.cfg.Policy.Hash()) }},
		binding{keys: []string{"Y"}, name: "Y", help: "copy policy.json", do: func() tea.Cmd { return p.copyText("policy.json", string(p.cfg.Policy.JSON())) }},
	)}
}

func (p *policyScreen) view(w, h int) []string {
	return scrolled(&p.scroll, p.lines(w), w, h)
}

func (p *policyScreen) lines(w int) []string {
	policy := p.cfg.Policy
	lines := []string{
		"",
		" " + p.theme.title.Render("The policy this day is replayed under") + p.theme.dim.Render("  read-only; --policy FILE gives another"),
		" " + p.theme.dim.Render("sha256 "+cells.Cut(policy.Hash(), w-9)),
		"",
	}
	lines = append(lines, p.warning(w)...)
	l := column.Fit(knobColumns(policy), 2, w-1)
	lines = append(lines, " "+p.theme.title.Render(l.Header()))
	for _, k := range engine.Knobs() {
		lines = append(lines, p.knobLines(l, k, w)...)
	}
	return lines
}

func knobColumns(policy engine.Policy) []column.Column {
	name, value := 4, 5
	for _, k := range engine.Knobs() {
		name = max(name, len(k.Name))
		value = max(value, cells.Width(show(k.Get(policy), 30)))
	}
	return []column.Column{
		{Title: "knob", Min: name}, {Title: "value", Min: value}, {Title: "meaning", Min: 62, Max: 90, Drop: 1},
	}
}

func (p *policyScreen) knobLines(l column.Layout, k engine.Knob, w int) []string {
	head := " " + l.Row([]string{k.Name, show(k.Get(p.cfg.Policy), 30), k.Help}, func(c int, text string) string {
		if c == 1 {
			return p.theme.key.Render(text)
		}
		return text
	})
	lines := []string{head}
	if !l.Has(2) {
		lines = append(lines, "   "+cells.Cut(k.Help, w-4))
	}
	for _, line := range cells.Wrap(k.Bounds, w-5) {
		lines = append(lines, "   "+p.theme.dim.Render(line))
	}
	return lines
}

// warning tells when a key is forgotten before its last retry came.
func (p *policyScreen) warning(w int) []string {
	if p.found == nil || p.cfg.Policy.Retention == engine.Forever || p.found.LongestGap < p.cfg.Policy.Retention {
		return nil
	}
	text := fmt.Sprintf("Retention is too short: the longest gap between two sends of one key is %v, and a key is forgotten after %v. A retry that comes later pays again.",
		p.found.LongestGap, p.cfg.Policy.Retention)
	var lines []string
	for _, line := range cells.Wrap(text, w-4) {
		lines = append(lines, " "+p.theme.failure.Render(line))
	}
	return append(lines, "")
}
