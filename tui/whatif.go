package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/whatif"
	"idem/engine"
	"idem/tui/rows"
)

// whatifScreen shows the day under other policies side by side, and one of them
// whose knobs are turned here while the figures follow.
type whatifScreen struct {
	*desk
	table   *whatif.Comparison // of the default and the presets
	compare *task

	policy engine.Policy          // the turned one
	known  map[string]whatif.Line // what policies come to, by their hash
	turn   *task

	knobs   rows.Window
	lines   rows.Window // the turned policy, then those of the table
	presets bool        // the table has the keys, not the knobs

	curve curvePane
	err   error
}

// turnedName is what the turned policy is called.
const turnedName = "turned here"

func newWhatifScreen(d *desk) *whatifScreen {
	s := &whatifScreen{desk: d, compare: new(task), turn: new(task), curve: curvePane{sweep: new(task)}}
	s.reset()
	return s
}

func (s *whatifScreen) reset() {
	s.halt()
	*s = whatifScreen{desk: s.desk, compare: s.compare, turn: s.turn, policy: s.cfg.Policy, known: map[string]whatif.Line{},
		curve: curvePane{sweep: s.curve.sweep, knob: whatif.Retention}}
	s.knobs.SetLen(len(engine.Knobs()))
	s.lines.SetLen(1)
}

// halt gives up what is being computed; false when nothing is.
func (s *whatifScreen) halt() bool {
	on := []bool{s.compare.stop(), s.turn.stop(), s.curve.sweep.stop()}
	return slices.Contains(on, true)
}

func (s *whatifScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		s.reset()
	case beatMsg:
		return tea.Batch(s.compare.beat(msg), s.turn.beat(msg), s.curve.sweep.beat(msg))
	case taskMsg:
		s.took(msg)
	}
	return nil
}

func (s *whatifScreen) shown() tea.Cmd { return s.compute() }

// compute asks for every figure that is shown and not known.
func (s *whatifScreen) compute() tea.Cmd {
	if s.session == nil {
		return nil
	}
	s.err = nil
	return tea.Batch(s.computeTable(), s.computeTurned(), s.computeCurve())
}

func (s *whatifScreen) computeTable() tea.Cmd {
	if s.table != nil || s.compare.busy {
		return nil
	}
	return s.compare.start(s.ctx, s.comparing(published()))
}

// published are the policies of the table.
func published() []whatif.Case { return append([]whatif.Case{whatif.Default()}, whatif.Presets()...) }

func (s *whatifScreen) computeTurned() tea.Cmd {
	s.turn.stop()
	if _, known := s.turned(); known || (s.compare.busy && isPublished(s.policy)) {
		return nil
	}
	return s.turn.start(s.ctx, s.comparing([]whatif.Case{{Name: turnedName, Policy: s.policy}}))
}

// isPublished reports whether the table has the policy, or will have.
func isPublished(p engine.Policy) bool {
	return slices.ContainsFunc(published(), func(c whatif.Case) bool { return c.Policy.Hash() == p.Hash() })
}

// comparing is a task over some policies.
func (s *whatifScreen) comparing(cases []whatif.Case) func(context.Context, func(done, total int64)) (any, error) {
	day := s.session.Day()
	return func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return whatif.Compare(ctx, day, cases, whatif.Options{Progress: progress})
	}
}

func (s *whatifScreen) computeCurve() tea.Cmd {
	c := &s.curve
	if !c.open || c.shows(s.policy) {
		return nil
	}
	day, base, knob := s.session.Day(), whatif.Case{Name: turnedName, Policy: s.policy}, c.knob
	return c.sweep.start(s.ctx, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return whatif.Sweep(ctx, day, base, knob, whatif.Options{Progress: progress})
	})
}

func (s *whatifScreen) took(msg taskMsg) {
	switch {
	case s.compare.took(msg):
		if s.fine(msg.err) {
			s.table = msg.got.(*whatif.Comparison)
			s.learnLines(s.table)
			s.lines.SetLen(1 + len(s.table.Lines))
		}
	case s.turn.took(msg):
		if s.fine(msg.err) {
			s.learnLines(msg.got.(*whatif.Comparison))
		}
	case s.curve.sweep.took(msg):
		if s.fine(msg.err) {
			s.curve.got = msg.got.(*whatif.Curve)
		}
	}
}

// fine reports whether there is an answer; what failed is told on the screen.
func (s *whatifScreen) fine(err error) bool {
	if err != nil {
		s.err = err
	}
	return err == nil
}

func (s *whatifScreen) learnLines(c *whatif.Comparison) {
	for i := range c.Lines {
		s.known[c.Lines[i].Policy.Hash()] = c.Lines[i]
	}
}

// turned is what the turned policy comes to.
func (s *whatifScreen) turned() (whatif.Line, bool) {
	line, known := s.known[s.policy.Hash()]
	return line, known
}

// adopt makes p the turned policy, if it can be one.
func (s *whatifScreen) adopt(p engine.Policy) tea.Cmd {
	if err := p.Validate(); err != nil {
		s.tell(oneLine(err))
		return nil
	}
	s.policy = p
	return s.compute()
}

func (s *whatifScreen) back() (tea.Cmd, bool) {
	switch {
	case s.halt():
		s.tell("given up; space computes again")
	case s.curve.open:
		s.curve.open = false
	case s.presets:
		s.presets = false
	default:
		return nil, false
	}
	return nil, true
}

func (s *whatifScreen) wheel(d int) tea.Cmd {
	if s.presets {
		s.lines.Move(d)
	} else {
		s.knobs.Move(d)
	}
	return nil
}

func (s *whatifScreen) click(int, int) tea.Cmd { return nil }
