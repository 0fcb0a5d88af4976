package tui

import (
	"fmt"
	"strings"

	"idem/analysis/classroom"
	"idem/engine"
	"idem/tui/cells"
	"idem/tui/frame"
)

// selected is the round under the cursor; nil when there is none.
func (c *class) selected() *taught {
	if i := c.window.Cursor(); i < len(c.rounds) {
		return &c.rounds[i]
	}
	return nil
}

// roundLines are what both engines did with a request until the next one came,
// and what of it must never be.
func (s *classroomScreen) roundLines(w int, at place) []string {
	r := s.class.selected()
	if r == nil {
		return nil
	}
	lines := []string{frame.Rule(fmt.Sprintf("request %s", number(r.N)), w, s.theme.edge.Render, s.theme.title.Render)}
	if at == alone {
		lines = append(lines, s.requestLines(r, w)...)
	}
	lines = append(lines, s.violationLines(r, w, at)...)
	if at == under {
		half := (w - 3) / 2
		left, right := s.sideLines("right", &r.Right, r.N, half, at), s.sideLines("wrong", &r.Wrong, r.N, half, at)
		n := max(len(left), len(right))
		return append(lines, cells.Beside(cells.Block(left, half, n), s.theme.edge.Render(" │ "), cells.Block(right, half, n))...)
	}
	lines = append(lines, s.sideLines("right", &r.Right, r.N, w, at)...)
	return append(append(lines, ""), s.sideLines("wrong", &r.Wrong, r.N, w, at)...)
}

func (s *classroomScreen) requestLines(r *taught, w int) []string {
	u := &r.about
	lines := s.wrapped("client    ", show(u.client, 400), w)
	lines = append(lines, s.wrapped("endpoint  ", show(u.endpoint, 400), w)...)
	lines = append(lines, s.wrapped("key       ", show(u.key, 2000), w)...)
	lines = append(lines, s.wrapped("received  ", stamp(u.at)+", took "+u.took.String(), w)...)
	lines = append(lines, s.wrapped("order     ", u.order, w)...)
	return append(append(lines, s.wrapped("before    ", u.history(), w)...), "")
}

// sideLines are the events of one engine.
func (s *classroomScreen) sideLines(name string, v *classroom.View, n int64, w int, at place) []string {
	lines := []string{" " + s.theme.title.Render(name+" engine") + "  " + s.theme.outcome(v.Step.Class).Render(classText(v.Step.Class))}
	for i := range v.Events {
		text := eventText(&v.Events[i], n)
		if at == under {
			lines = append(lines, " "+cells.Cut(text, w-1))
			continue
		}
		lines = append(lines, s.wrapped("· ", text, w)...)
	}
	return lines
}

// eventText is one thing that an engine did.
func eventText(e *classroom.Event, n int64) string {
	who := ""
	if e.N != n {
		who = "request " + number(e.N) + " "
	}
	if e.Twin {
		who += "its twin "
	}
	return who + whatText(e)
}

func whatText(e *classroom.Event) string {
	switch {
	case !e.Ended && e.Outcome == engine.Fresh:
		return "holds the key and runs"
	case e.Ended && e.Status == 0:
		return "died, and its client heard nothing"
	}
	text := answerText(e)
	switch {
	case e.Ended && e.Moved != 0:
		return "moved " + money(e.Moved, e.Currency) + ", answered " + text
	case e.Ended:
		return "moved nothing, answered " + text
	}
	return "answered " + text
}

func answerText(e *classroom.Event) string {
	parts := []string{fmt.Sprint(e.Status)}
	if e.Reason != "" {
		parts = append(parts, reasonText(e.Reason))
	}
	if !e.Ended && e.Outcome == engine.Replay {
		parts = append(parts, "again")
	}
	if e.Body != "" {
		parts = append(parts, show(e.Body, 400))
	}
	return strings.Join(parts, " ")
}

// violationLines are what the audit found in a round.
func (s *classroomScreen) violationLines(r *taught, w int, at place) []string {
	var lines []string
	for i := range r.Violations {
		v := &r.Violations[i]
		text := fmt.Sprintf("request %s: %s", number(v.N), show(v.Why, 400))
		if v.Amount != 0 {
			text += ", " + money(v.Amount, v.Currency)
		}
		if at == under {
			lines = append(lines, s.theme.mismatch.Render(cells.Cut(" x "+text, w)))
			continue
		}
		for k, line := range cells.Wrap(text+" ("+string(v.Invariant)+")", w-4) {
			lead := "   "
			if k == 0 {
				lead = " x "
			}
			lines = append(lines, s.theme.mismatch.Render(lead+line))
		}
	}
	return lines
}
