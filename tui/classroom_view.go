package tui

import (
	"fmt"
	"slices"
	"strings"

	"idem/analysis"
	"idem/analysis/classroom"
	"idem/analysis/replay"
	"idem/analysis/whatif"
	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/frame"
	"idem/tui/rail"
)

func (s *classroomScreen) view(w, h int) []string {
	switch {
	case s.class == nil:
		return s.lessonList(w, h)
	case s.full:
		return scrolled(&s.scroll, s.roundLines(w, alone), w, h)
	}
	lines := s.head(w)
	lines = append(lines, s.question(w, h)...)
	rest := h - len(lines)
	switch {
	case w >= wideEnough:
		left := max(72, listWidth(w))
		right := w - left - 3
		list := cells.Block(s.roundList(left, rest), left, rest)
		return append(lines, cells.Beside(list, s.theme.edge.Render(" │ "), cells.Block(s.roundLines(right, beside), right, rest))...)
	case rest >= 11:
		below := min(rest-4, 9)
		lines = append(lines, cells.Block(s.roundList(w, rest-below), w, rest-below)...)
		return append(lines, cells.Block(s.roundLines(w, under), w, below)...)
	}
	return append(lines, s.roundList(w, rest)...)
}

// lessonList is what can be learned.
func (s *classroomScreen) lessonList(w, h int) []string {
	intro := "Engines that are wrong on purpose, each beside the right one on this day. Say what becomes of each request before you see it."
	lines := []string{""}
	for _, line := range cells.Wrap(intro, w-2) {
		lines = append(lines, " "+s.theme.dim.Render(line))
	}
	lines = append(lines, "")
	all := classroom.Lessons()
	s.lessons.SetHeight(len(all))
	for i, l := range all {
		text := fmt.Sprintf("%d  %s", i+1, l.Title)
		if i == s.lessons.Cursor() {
			lines = append(lines, " "+s.theme.chosen.Render(cells.Fit("› "+text, w-2)))
		} else {
			lines = append(lines, "   "+cells.Cut(text, w-4))
		}
	}
	l := all[s.lessons.Cursor()]
	lines = append(lines, frame.Rule(l.Title, w, s.theme.edge.Render, s.theme.title.Render))
	lines = append(lines, s.wrapped("", l.Story, w)...)
	lines = append(lines, s.wrapped("shows with ", l.Shows, w)...)
	for _, b := range l.Breaks {
		lines = append(lines, s.wrapped("breaks ", string(b), w)...)
	}
	return cells.Block(lines, w, h)
}

// wrapped is a text behind its name.
func (s *classroomScreen) wrapped(name, text string, w int) []string {
	lines := cells.Wrap(text, w-2-len(name))
	for i := range lines {
		lead := cells.Blank(len(name))
		if i == 0 {
			lead = s.theme.dim.Render(name)
		}
		lines[i] = " " + lead + lines[i]
	}
	return lines
}

// head is where the lesson is, the score, and what has leaked so far.
func (s *classroomScreen) head(w int) []string {
	c := s.class
	total := c.total
	left := " " + s.theme.title.Render(c.lesson.Title) + "  " + s.theme.strong.Render(number(c.sent)+"/"+number(total))
	if c.running() {
		left += "  " + s.theme.notice.Render("▶ esc stops")
	}
	score := fmt.Sprintf("said right %d of %d ", c.score.right(), len(c.score.judged))
	if c.score.open {
		score = "not asking "
	}
	day := rail.Rail{Total: total, At: c.sent, Frontier: c.sent, Done: s.theme.dim.Render, Rest: s.theme.edge.Render, Knob: s.theme.key.Render}
	lines := []string{cells.Spread(left, s.theme.dim.Render(score), w), " " + day.Line(w-2) + " ", s.leakLine(w)}
	if text := injectedText(c); text != "" {
		lines = append(lines, s.theme.notice.Render(cells.Cut(" done to the day: "+text, w)))
	}
	return lines
}

func (s *classroomScreen) leakLine(w int) string {
	c := s.class
	leak := func(name string, m analysis.Money) string {
		if !nonzero(m) {
			return s.theme.dim.Render(name + " 0")
		}
		return s.theme.dim.Render(name+" ") + s.theme.extra.Render(sums(m))
	}
	first, brief := "no difference yet ", "no difference "
	if c.first > 0 {
		first = fmt.Sprintf("%s differ, first %s ", number(c.differs), number(c.first))
		brief = fmt.Sprintf("≠ %s, first %s ", number(c.differs), number(c.first))
	}
	left := " " + leak("paid again", c.leak.PaidAgain) + s.theme.dim.Render(" · ") + leak("said paid and not", c.leak.Unpaid)
	return cells.SpreadAny(left, w, s.theme.dim.Render(first), s.theme.dim.Render(brief))
}

// injectedText is what was done to the day, so that a drill is not taken for it.
func injectedText(c *class) string {
	var parts []string
	o := &c.walker.inject
	for _, kind := range []struct {
		name string
		seqs []int64
	}{{"crash at", o.CrashAt}, {"stall at", o.StallAt}, {"race at", o.RaceAt}} {
		for _, seq := range kind.seqs {
			parts = append(parts, fmt.Sprintf("%s %d", kind.name, seq))
		}
	}
	if o.NoRenewal {
		parts = append(parts, "no renewal of leases")
	}
	if len(parts) > 0 {
		parts = append(parts, "lease "+whatif.SpanText(c.walker.policy.Lease))
	}
	return strings.Join(parts, " · ")
}

// question is the next request, and what the trainee is asked about it.
func (s *classroomScreen) question(w, h int) []string {
	c := s.class
	switch {
	case c.err != nil:
		return []string{s.theme.failure.Render(cells.Cut(" "+oneLine(c.err)+" · R starts over", w))}
	case c.verdict != nil:
		return s.verdictLines(w)
	case c.next == nil || c.running():
		return []string{frame.Rule("", w, s.theme.edge.Render, s.theme.title.Render)}
	}
	u := c.next
	lines := []string{
		frame.Rule(fmt.Sprintf("request %s, not sent yet", number(u.n)), w, s.theme.edge.Render, s.theme.title.Render),
		cells.Cut(fmt.Sprintf(" %s  %s  %s  key %s", clock(u.at), show(u.client, 20), show(u.endpoint, 24), short(u.key, 36)), w),
		cells.Cut(" "+s.theme.strong.Render(u.order), w),
		cells.Cut(" "+s.theme.dim.Render(u.history()), w),
	}
	if h < 16 {
		lines = lines[1:]
	}
	if c.score.open {
		return append(lines, " "+s.theme.key.Render("n sends it"))
	}
	ask := " " + s.theme.notice.Render("What will the right engine do?")
	var keys []string
	for _, a := range answers {
		style := s.theme.outcome(a.class)
		keys = append(keys, s.theme.key.Render(a.key)+" "+style.Render(glyph(a.class)+" "+a.class.String()))
	}
	choice := cells.Flow(keys, 2, w-2)
	for i := range choice {
		choice[i] = " " + choice[i]
	}
	if h < 16 {
		return append(lines, choice...)
	}
	return append(append(lines, ask), choice...)
}

// history is what the log says was sent under the request's key before.
func (u *upcoming) history() string {
	if u.before == 0 {
		return "nothing was sent under this key before"
	}
	text := fmt.Sprintf("request %s had this key, %s before, with ", number(u.before), whatif.SpanText(u.gap))
	if u.sameOrder {
		text += "the same order"
	} else {
		text += "another order"
	}
	if u.runs {
		return text + "; it still ran"
	}
	return text
}

// verdictLines are how the day ended on both engines.
func (s *classroomScreen) verdictLines(w int) []string {
	v := s.class.verdict
	text := "The day is through. "
	switch {
	case len(v.Caught) == 0:
		text += "The mistake did not show: it needs " + s.class.lesson.Shows + ". s does that."
	default:
		text += fmt.Sprintf("The audit caught the wrong engine %s; of the right one it has %s to say.", timesText(len(v.Caught)), nothingOr(len(v.Sound)))
	}
	lines := []string{frame.Rule("end", w, s.theme.edge.Render, s.theme.title.Render)}
	lines = append(lines, s.wrapped("", text, w)...)
	var broken []string
	for i := range v.Caught {
		if b := string(v.Caught[i].Invariant); !slices.Contains(broken, b) {
			broken = append(broken, b)
		}
	}
	for _, b := range broken {
		lines = append(lines, cells.Cut(s.theme.mismatch.Render(" x ")+b, w))
	}
	for _, side := range []struct {
		name string
		sums *replay.Counters
	}{{"right", &v.Right}, {"wrong", &v.Wrong}} {
		parts := []string{cells.Fit(side.name, 6)}
		for _, class := range replay.Classes {
			parts = append(parts, s.theme.outcome(class).Render(fmt.Sprintf("%s %s %s", glyph(class), number(count(class, side.sums)), class)))
		}
		lines = append(lines, cells.Cut(" "+strings.Join(parts, "  "), w))
	}
	return lines
}

func timesText(n int) string { return many(int64(n), "time", "times") }

func nothingOr(n int) string {
	if n == 0 {
		return "nothing"
	}
	return many(int64(n), "thing", "things")
}

// roundList is what was sent, the right engine's answer beside the wrong one's.
func (s *classroomScreen) roundList(w, h int) []string {
	c := s.class
	l := column.Fit([]column.Column{
		{Title: "", Min: 1},
		{Title: "#", Min: max(3, len(number(c.total))), Right: true},
		{Title: "time", Min: 8, Drop: 2},
		{Title: "key", Min: 9, Max: 12, Drop: 1},
		{Title: "you", Min: 3},
		{Title: "right engine", Min: 15},
		{Title: "wrong engine", Min: 15},
		{Title: "", Min: 1},
		{Title: "leaks", Min: 9, Max: 20, Right: true},
	}, 2, w-1)
	c.window.SetHeight(h - 1)
	lines := []string{" " + s.theme.title.Render(l.Header())}
	from, to := c.window.Range()
	for i := from; i < to; i++ {
		lines = append(lines, s.roundRow(l, i))
	}
	if len(c.rounds) == 0 && c.err == nil {
		lines = append(lines, s.theme.dim.Render(cells.Cut("   s goes to where the mistake shows, d to the next difference", w)))
	}
	return cells.Block(lines, w, h)
}

func (s *classroomScreen) roundRow(l column.Layout, i int) string {
	r := &s.class.rounds[i]
	said, differs := "", ""
	if right, judged := s.class.score.judged[r.N]; judged {
		said = map[bool]string{true: "yes", false: "no"}[right]
	}
	if r.Diverged {
		differs = "≠"
	}
	texts := []string{"", number(r.N), clock(r.about.at), short(r.about.key, l.Width(3)), said, classText(r.Right.Step.Class), classText(r.Wrong.Step.Class), differs, leakText(r)}
	if i == s.class.window.Cursor() {
		texts[0] = "›"
		return s.theme.chosen.Render(" " + l.Row(texts, nil))
	}
	return " " + l.Row(texts, func(c int, text string) string {
		switch {
		case c == 5:
			return s.theme.outcome(r.Right.Step.Class).Render(text)
		case c == 6:
			return s.theme.outcome(r.Wrong.Step.Class).Render(text)
		case c == 7 || c == 8:
			return s.theme.extra.Render(text)
		case c == 2 || c == 3:
			return s.theme.dim.Render(text)
		}
		return text
	})
}

func classText(c replay.Class) string { return glyph(c) + " " + c.String() }

// leakText is the money that leaked in a round.
func leakText(r *taught) string {
	var sum analysis.Money
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Amount != 0 && sum.Add(v.Currency, v.Amount) != nil {
			return "too much"
		}
	}
	if !nonzero(sum) {
		return ""
	}
	return sums(sum)
}
