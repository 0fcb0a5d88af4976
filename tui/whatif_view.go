package tui

import (
	"cmp"
	"fmt"

	"idem/analysis/whatif"
	"idem/engine"
	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/frame"
)

// view is the policies side by side above the knobs of the turned one. A wide
// screen has the curve, or what there is to read about a policy, beside them; on
// a narrow one the curve takes their place.
func (s *whatifScreen) view(w, h int) []string {
	head := []string{s.summaryLine(w), s.messageLine(w)}
	h -= len(head)
	switch {
	case w >= wideEnough:
		left := max(80, listWidth(w)-4)
		right := w - left - 3
		pane := cells.Block(s.besideLines(right, h), right, h)
		return append(head, cells.Beside(cells.Block(s.comparison(left, h, false), left, h), s.theme.edge.Render(" │ "), pane)...)
	case s.curve.open:
		return append(head, s.curveLines(w, h)...)
	}
	return append(head, s.comparison(w, h, s.presets)...)
}

// comparison is the table, and below it the knobs, or with notes what there is to
// read about the chosen policy. Where there is room for one of them only, it is
// the one that has the keys.
func (s *whatifScreen) comparison(w, h int, notes bool) []string {
	table, below := 1+s.lines.Len(), s.knobLines(w)
	if notes {
		below = s.noteLines(w)
	}
	room := max(3, h-len(below)-1)
	if s.presets {
		room = min(h, table)
	}
	room = min(room, table)
	lines := cells.Block(s.tableLines(w, room), w, room)
	lines = append(lines, frame.Rule(s.policyTitle(), w, s.theme.edge.Render, s.theme.title.Render))
	lines = append(lines, below...)
	if len(lines) < h {
		lines = append(lines, s.theme.dim.Render(cells.Cut(" refused: honest requests · unpaid: nobody paid at all · other: another's result", w)))
	}
	return lines
}

func (s *whatifScreen) policyTitle() string {
	if !s.presets {
		return turnedName
	}
	if line := s.line(); line != nil {
		return show(line.Name, 30)
	}
	return ""
}

// besideLines is what a wide screen shows beside the table.
func (s *whatifScreen) besideLines(w, h int) []string {
	if s.curve.open {
		return s.curveLines(w, h)
	}
	if s.presets {
		return s.noteLines(w)
	}
	k := s.knob()
	lines := []string{" " + s.theme.title.Render(k.Name)}
	for _, text := range []string{k.Help, k.Bounds} {
		for _, line := range cells.Wrap(text, w-2) {
			lines = append(lines, " "+s.theme.dim.Render(line))
		}
		lines = append(lines, "")
	}
	return append(lines, " "+s.theme.dim.Render(cells.Cut("c draws the curve over retention, then over the lease", w-2)))
}

// noteLines say where a policy is published, and what of it is not.
func (s *whatifScreen) noteLines(w int) []string {
	line := s.line()
	if line == nil {
		return nil
	}
	var lines []string
	for _, text := range []string{line.Source, line.Note} {
		if text == "" {
			continue
		}
		for _, part := range cells.Wrap(text, w-2) {
			lines = append(lines, " "+s.theme.dim.Render(part))
		}
	}
	for _, k := range engine.Knobs() {
		lines = append(lines, cells.Cut(" "+cells.Fit(k.Name, 24)+s.theme.key.Render(show(k.Get(line.Policy), 40)), w))
	}
	return lines
}

func (s *whatifScreen) summaryLine(w int) string {
	c := s.table
	if c == nil {
		text := s.compare.text("replaying the day under eight policies")
		if text == "" {
			text = "not computed; space computes it"
		}
		return " " + s.theme.dim.Render(cells.Cut(text, w-1))
	}
	left := fmt.Sprintf("v1 paid %s extra: ", number(c.V1Extra.Count)) + s.theme.extra.Render(sums(c.V1Extra.ByCurrency))
	gap := c.LongestGap.String() + " "
	return cells.SpreadAny(" "+left, w, s.theme.dim.Render("longest gap of a key "+gap), s.theme.dim.Render("longest gap "+gap))
}

// messageLine is what needs to be known first: what failed, what still runs, a
// retention that is too short, or else what the knob is.
func (s *whatifScreen) messageLine(w int) string {
	line, known := s.turned()
	switch {
	case s.err != nil:
		return s.theme.failure.Render(cells.Cut(" "+oneLine(s.err)+" · space tries again", w))
	case s.turn.busy || s.curve.sweep.busy || s.compare.busy:
		doing := cmp.Or(s.turn.text("replaying"), s.curve.sweep.text("sweeping"), s.compare.text("comparing"))
		return s.theme.notice.Render(cells.Cut(" "+doing+" · esc gives up", w))
	case known && line.RetentionTooShort:
		text := fmt.Sprintf(" ! a key is kept for %s, not longer than the longest gap: a retry that comes later pays again", whatif.SpanText(s.policy.Retention))
		return s.theme.failure.Render(cells.Cut(text, w))
	case s.presets:
		return s.theme.dim.Render(cells.Cut(" published behaviours; enter turns the knobs to the chosen one", w))
	}
	return s.theme.dim.Render(cells.Cut(" "+s.knobName()+" ‹ "+show(s.knob().Get(s.policy), 40)+" ›  "+s.knob().Help, w))
}

func (s *whatifScreen) columns() []column.Column {
	list := []column.Column{
		{Title: "", Min: 1},
		{Title: "policy", Min: 12, Max: 20},
		{Title: "extra", Right: true},
		{Title: "money left", Right: true},
		{Title: "stopped", Right: true},
		{Title: "refused", Right: true},
		{Title: "409", Min: 4, Right: true},
		{Title: "422", Min: 4, Right: true, Drop: 1},
		{Title: "unpaid", Right: true, Drop: 2},
		{Title: "other", Right: true, Drop: 3},
		{Title: "again", Right: true, Drop: 4},
	}
	rows := [][]string{}
	if line, known := s.turned(); known {
		rows = append(rows, figureTexts(&line.Figures))
	}
	if s.table != nil {
		for i := range s.table.Lines {
			rows = append(rows, figureTexts(&s.table.Lines[i].Figures))
		}
	}
	for i := range list[2:] {
		c := &list[2+i]
		c.Min = max(c.Min, column.Widest(c.Title))
		for _, row := range rows {
			c.Min = min(max(c.Min, column.Widest(row[i])), 22)
		}
	}
	return list
}

// figureTexts are the cells of a policy's figures, from the extra transfers on.
func figureTexts(f *whatif.Figures) []string {
	return []string{number(f.Extra.Count), sums(f.Extra.ByCurrency), number(f.Stopped.Count), number(f.HonestRefused),
		number(f.InFlight), number(f.Mismatch), number(f.Missing.Count), number(f.OtherBody), number(f.ExpiredReruns)}
}

// tableLines are the policies: the turned one, the default, the presets.
func (s *whatifScreen) tableLines(w, h int) []string {
	l := column.Fit(s.picked("what if", s.columns()), 2, w-1)
	s.lines.SetHeight(h - 1)
	lines := []string{" " + s.theme.title.Render(l.Header())}
	from, to := s.lines.Range()
	for i := from; i < to; i++ {
		line, known := s.turned()
		if i > 0 {
			line, known = s.table.Lines[i-1], true
		} else {
			line.Name = turnedName
		}
		lines = append(lines, s.tableRow(l, &line, known, s.presets && i == s.lines.Cursor()))
	}
	return lines
}

func (s *whatifScreen) tableRow(l column.Layout, line *whatif.Line, known, chosen bool) string {
	f := &line.Figures
	mark := ""
	if line.RetentionTooShort {
		mark = "!"
	}
	texts := append([]string{mark, show(line.Name, 20)}, figureTexts(f)...)
	if !known {
		texts = []string{"", show(line.Name, 20), "…", "…"}
	}
	if chosen {
		texts[0] = "›"
		return s.theme.chosen.Render(" " + l.Row(texts, nil))
	}
	return " " + l.Row(texts, func(c int, text string) string {
		switch {
		case c == 0:
			return s.theme.failure.Render(text)
		case (c == 2 || c == 3) && f.Extra.Count > 0, c == 5 && f.HonestRefused > 0, c == 8 && f.Missing.Count > 0:
			return s.theme.extra.Render(text)
		case c == 4 && f.Stopped.Count > 0:
			return s.theme.stopped.Render(text)
		}
		return text
	})
}

// knobLines are the knobs of the turned policy; the chosen one is reverse.
func (s *whatifScreen) knobLines(w int) []string {
	var lines []string
	for i, k := range engine.Knobs() {
		value := show(k.Get(s.policy), 40)
		changed := ""
		if was := k.Get(s.cfg.Policy); was != k.Get(s.policy) {
			changed = "was " + show(was, 30)
		}
		lead, text := "   ", cells.Fit(k.Name, 24)+" ‹ "+value+" ›"
		if i == s.knobs.Cursor() && !s.presets {
			lines = append(lines, " "+s.theme.chosen.Render(cells.Fit("› "+text+"  "+changed, w-2)))
			continue
		}
		lines = append(lines, lead+cells.Cut(cells.Fit(k.Name, 24)+" ‹ "+s.theme.key.Render(value)+" ›  "+s.theme.notice.Render(changed), w-4))
	}
	return lines
}
