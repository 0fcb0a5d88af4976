package tui

import (
	tea "charm.land/bubbletea/v2"

	"idem/analysis/whatif"
	"idem/engine"
)

func (s *whatifScreen) keys() section {
	none := unless(s.session != nil, "no incident is open")
	window, help := &s.knobs, "choose a policy instead of a knob"
	if s.presets {
		window, help = &s.lines, "turn knobs again"
	}
	return section{title: "What if", bindings: append(append(moveKeys(window, "", func() tea.Cmd { return nil }), s.turnKeys()...),
		binding{keys: []string{"tab"}, name: "tab", help: help, hint: "policies", do: act(func() { s.presets = !s.presets })},
		binding{keys: []string{"c"}, name: "c", help: s.curveHelp(), hint: "curve", why: none, do: s.nextCurve},
		binding{keys: []string{"v"}, name: "v", help: "compare the replay's policy with this one, request by request", hint: "rows", why: none, do: s.toCompare},
		binding{keys: []string{"0"}, name: "0", help: "back to the policy of the replay", hint: "reset", do: func() tea.Cmd { return s.adopt(s.cfg.Policy) }},
		binding{keys: []string{"space"}, name: "space", help: "compute what was given up", why: s.whyNoCompute(), do: s.compute},
		binding{keys: []string{"y"}, name: "y", help: "copy the turned policy's hash", do: func() tea.Cmd { return s.copyText("hash", s.policy.Hash()) }},
		binding{keys: []string{"Y"}, name: "Y", help: "copy the turned policy as policy.json", do: func() tea.Cmd { return s.copyText("policy.json", string(s.policy.JSON())) }},
	)}
}

// turnKeys change the turned policy: a knob by itself, or all of them.
func (s *whatifScreen) turnKeys() []binding {
	if s.presets {
		return []binding{{keys: []string{"enter"}, name: "enter", help: "turn the knobs to this policy", hint: "take over", why: unless(s.line() != nil, "not computed yet"), do: s.takeOver}}
	}
	return []binding{
		{keys: []string{"l", "right", "+", "="}, name: "l →", help: "turn the chosen knob up", hint: "up", do: func() tea.Cmd { return s.turnBy(1) }},
		{keys: []string{"h", "left", "-"}, name: "h ←", help: "turn the chosen knob down", hint: "down", do: func() tea.Cmd { return s.turnBy(-1) }},
		{keys: []string{"enter"}, name: "enter", help: "type a value of the chosen knob", hint: "type", do: act(s.askValue)},
	}
}

func (s *whatifScreen) whyNoCompute() string {
	if s.session == nil {
		return "no incident is open"
	}
	switch _, known := s.turned(); {
	case known && s.table != nil && (!s.curve.open || s.curve.shows(s.policy)):
		return "everything is computed"
	case s.compare.busy || s.turn.busy || s.curve.sweep.busy:
		return "that is being done"
	}
	return ""
}

func (s *whatifScreen) knob() engine.Knob { return engine.Knobs()[s.knobs.Cursor()] }

func (s *whatifScreen) knobName() string { return s.knob().Name }

func (s *whatifScreen) turnBy(d int) tea.Cmd {
	p, ok := turnKnob(s.policy, s.knob(), d)
	if !ok {
		s.tell("no further value; enter takes any: " + s.knob().Bounds)
		return nil
	}
	return s.adopt(p)
}

// askValue takes any value that the knob may have.
func (s *whatifScreen) askValue() {
	knob := s.knob()
	s.ask(asking{label: knob.Name, enter: func(text string) tea.Cmd {
		p := s.policy
		if err := knob.Set(&p, text); err != nil {
			s.tell(oneLine(err))
			return nil
		}
		return s.adopt(p)
	}})
}

// line is the policy under the cursor; nil for the turned one while it is not
// known.
func (s *whatifScreen) line() *whatif.Line {
	i := s.lines.Cursor()
	if i == 0 || s.table == nil {
		if line, known := s.turned(); known {
			return &line
		}
		return nil
	}
	return &s.table.Lines[i-1]
}

// toCompare lays the replay's policy and the chosen one beside each other.
func (s *whatifScreen) toCompare() tea.Cmd {
	other := whatif.Case{Name: turnedName, Policy: s.policy}
	if line := s.line(); s.presets && line != nil {
		other = line.Case
	}
	s.enter(compareRoom)
	return func() tea.Msg { return besideMsg{other} }
}

func (s *whatifScreen) takeOver() tea.Cmd {
	s.presets = false
	return s.adopt(s.line().Policy)
}

func (s *whatifScreen) curveHelp() string {
	switch {
	case !s.curve.open:
		return "the curve over " + string(s.curve.knob)
	case s.curve.knob == whatif.Retention:
		return "the curve over the lease instead"
	}
	return "close the curve"
}

// nextCurve goes from no curve to that of retention, then lease, then none.
func (s *whatifScreen) nextCurve() tea.Cmd {
	c := &s.curve
	switch {
	case !c.open:
		c.open, c.knob = true, whatif.Retention
	case c.knob == whatif.Retention:
		c.knob = whatif.Lease
	default:
		c.open = false
	}
	c.sweep.stop()
	return s.compute()
}
