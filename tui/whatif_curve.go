package tui

import (
	"fmt"
	"strings"
	"time"

	"idem/analysis/whatif"
	"idem/engine"
	"idem/tui/cells"
	"idem/tui/curve"
)

// curvePane is the sweep of one knob of the turned policy.
type curvePane struct {
	open  bool
	knob  whatif.Knob
	got   *whatif.Curve
	sweep *task
}

// shows reports whether the curve that is there is the one of the open knob and
// a policy. That policy's own value of the knob does not matter.
func (c *curvePane) shows(p engine.Policy) bool {
	return c.got != nil && c.got.Knob == c.knob && without(p, c.knob).Hash() == without(c.got.Base.Policy, c.knob).Hash()
}

func without(p engine.Policy, k whatif.Knob) engine.Policy {
	if k == whatif.Retention {
		p.Retention = engine.Forever
	} else {
		p.Lease = time.Nanosecond
	}
	return p
}

// curveLines is the curve in exactly h lines: what each value lets through, the
// smallest that stops everything, and where the turned policy stands.
func (s *whatifScreen) curveLines(w, h int) []string {
	c := &s.curve
	title, what := "retention", "payments that still go out twice, by how long a key is kept"
	if c.knob == whatif.Lease {
		title, what = "lease", "claims lost while their request ran, by lease without renewal"
	}
	lines := []string{" " + s.theme.title.Render(title)}
	for _, line := range cells.Wrap(what, w-2) {
		lines = append(lines, " "+s.theme.dim.Render(line))
	}
	if !c.shows(s.policy) || len(c.got.Points) == 0 {
		text := c.sweep.text("sweeping")
		if text == "" {
			text = "not computed; space computes it"
		}
		return cells.Block(append(lines, "", " "+s.theme.dim.Render(text)), w, h)
	}
	text := cells.Wrap(smallestText(c.got), w-2)
	room := min(h-len(lines)-len(text)-3, 14)
	if room > 0 {
		lines = append(lines, s.plot(w, room)...)
	}
	for _, line := range text {
		lines = append(lines, " "+s.theme.strong.Render(line))
	}
	return cells.Block(append(lines, s.costLine(w)), w, h)
}

// plot is the drawing with its axes, in h+2 lines.
func (s *whatifScreen) plot(w, h int) []string {
	points := s.curve.got.Points
	values, most := make([]int64, len(points)), int64(0)
	for i := range points {
		values[i] = points[i].Through
		most = max(most, values[i])
	}
	label := len(number(most))
	width := max(1, w-label-4)
	var lines []string
	for y, line := range curve.Lines(values, width, h) {
		mark := ""
		if y == 0 && most > 0 {
			mark = number(most)
		} else if y == h-1 {
			mark = "0"
		}
		lines = append(lines, " "+s.theme.dim.Render(cells.Right(mark, label)+" ┤")+s.theme.extra.Render(line))
	}
	lead := cells.Blank(label + 2)
	lines = append(lines, lead+s.theme.dim.Render("└")+s.axis(width))
	first, last := whatif.ValueText(points[0].Value), whatif.ValueText(points[len(points)-1].Value)
	return append(lines, lead+" "+s.theme.dim.Render(cells.Spread(first, last, width)))
}

// axis marks the smallest value that stops everything and the turned policy's.
func (s *whatifScreen) axis(w int) string {
	got := s.curve.got
	now := s.policy.Retention
	if got.Knob == whatif.Lease {
		now = s.policy.Lease
	}
	at := func(v time.Duration) int {
		i := 0
		for i+1 < len(got.Points) && got.Points[i+1].Value <= v {
			i++
		}
		return curve.Cell(i, len(got.Points), w)
	}
	smallest, here := at(got.Smallest), at(now)
	var b strings.Builder
	for x := range w {
		switch {
		case x == smallest && x == here:
			b.WriteString(s.theme.stopped.Render("◈"))
		case x == smallest:
			b.WriteString(s.theme.stopped.Render("▲"))
		case x == here:
			b.WriteString(s.theme.key.Render("◆"))
		default:
			b.WriteString(s.theme.dim.Render("─"))
		}
	}
	return b.String()
}

// costLine says what the marks mean.
func (s *whatifScreen) costLine(w int) string {
	return cells.Cut(" "+s.theme.stopped.Render("▲")+s.theme.dim.Render(" smallest  ")+s.theme.key.Render("◆")+
		s.theme.dim.Render(" here  ")+s.theme.stopped.Render("◈")+s.theme.dim.Render(" both"), w)
}

// smallestText names the smallest value that stops everything.
func smallestText(c *whatif.Curve) string {
	value := strings.Replace(whatif.ValueText(c.Smallest), "> ", "longer than ", 1)
	switch {
	case c.Rest > 0:
		return fmt.Sprintf("no %s stops everything: %s are left, and a %s %s leaves no more", c.Knob, number(c.Rest), c.Knob, value)
	case c.Gap > 0:
		return fmt.Sprintf("the smallest %s that stops everything is %s", c.Knob, value)
	}
	return fmt.Sprintf("any %s that the policy may have stops everything: the smallest is %s", c.Knob, value)
}
