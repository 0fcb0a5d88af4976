package tui

import (
	"fmt"
	"strings"

	"idem/analysis/replay"
	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/frame"
	"idem/tui/rail"
)

func (r *replayScreen) view(w, h int) []string {
	switch {
	case r.open:
		return scrolled(&r.scroll, r.detailLines(w, alone), w, h)
	case r.stops.open:
		return r.stops.view(&r.theme, w, h)
	case r.notes.open:
		return r.notesView(w, h)
	case r.rank.open:
		return r.rankingView(w, h)
	}
	lines := append([]string{r.statusLine(w)}, r.chips(w)...)
	lines = append(lines, r.railLine(w))
	r.railY = len(lines) - 1
	lines = append(lines, r.endLines(w)...)
	if line := r.filterLine(w); line != "" {
		lines = append(lines, line)
	}
	if line := r.breachLine(w); line != "" {
		lines = append(lines, line)
	}
	if r.err != nil {
		lines = append(lines, r.theme.failure.Render(cells.Cut(" "+oneLine(r.err), w)))
	}
	rest := h - len(lines)
	if w >= wideEnough {
		return append(lines, r.sideBySide(len(lines), w, rest)...)
	}
	return append(lines, r.stacked(len(lines), w, rest)...)
}

func (r *replayScreen) sideBySide(y, w, h int) []string {
	left := listWidth(w)
	right := w - left - 3
	list := cells.Block(r.stepList(y, left, h), left, h)
	return cells.Beside(list, r.theme.edge.Render(" │ "), cells.Block(r.detailLines(right, beside), right, h))
}

func (r *replayScreen) stacked(y, w, h int) []string {
	at := under
	if h < 14 {
		at = squeezed
	}
	detail := r.detailLines(w, at)
	below := min(len(detail)+1, max(h-6, h*3/5))
	lines := cells.Block(r.stepList(y, w, h-below), w, h-below)
	lines = append(lines, frame.Rule(r.caption(), w, r.theme.edge.Render, r.theme.plain.Render))
	return append(lines, cells.Block(detail, w, below-1)...)
}

// statusLine is where one is, how it moves, when it is, and what was stopped.
func (r *replayScreen) statusLine(w int) string {
	total, _ := r.total()
	left := " " + r.theme.strong.Render(number(r.page.pos)+"/"+number(total)) + "  " + r.motion() + "  " + r.now(w)
	stopped := r.theme.stopped.Render(sums(r.page.sums.Stopped)) + " "
	// Where both do not fit, words go before figures do, and what a counter says, too.
	for _, c := range []struct{ left, right string }{
		{left + r.stillRunning(), "stopped so far "}, {left + r.stillRunning(), "stopped "}, {left, "stopped "}, {left, ""},
	} {
		if right := r.theme.dim.Render(c.right) + stopped; cells.Width(c.left)+1+cells.Width(right) <= w {
			return cells.Spread(c.left, right, w)
		}
	}
	return cells.Spread(left, stopped, w)
}

// motion is how the position moves. Every state has its word.
func (r *replayScreen) motion() string {
	speed := speedName(speeds[r.speed])
	if r.timedNow() {
		speed += " of the log's time"
	}
	total, _ := r.total()
	switch {
	case r.player == nil && r.session != nil:
		return r.theme.notice.Render("preparing the replay…")
	case r.learning():
		return r.theme.notice.Render("▶ looking for the findings")
	case r.want.find != nil:
		return r.theme.notice.Render("▶ looking for " + show(r.want.find.name, 24))
	case r.want.run && r.want.pos != r.page.pos:
		return r.theme.notice.Render("▶ running to " + number(r.want.pos))
	case r.playing:
		return r.theme.notice.Render("▶ " + speed)
	case total > 0 && r.page.pos == total:
		return r.theme.dim.Render("at the end")
	}
	if r.detached && r.page.pos < r.page.frontier {
		return r.theme.dim.Render("detached, F follows")
	}
	return r.theme.dim.Render("paused " + speed)
}

func (r *replayScreen) now(w int) string {
	step := r.current()
	if step == nil {
		return r.theme.dim.Render("before the first request")
	}
	if w < fullWidth {
		return clock(step.At)
	}
	return timeText(step.At, "2006-01-02 15:04:05")
}

// stillRunning is how many requests have been claimed and are not done.
func (r *replayScreen) stillRunning() string {
	if r.page.sums.Running == 0 {
		return ""
	}
	return "  " + r.chip(replay.Running)
}

// current is the step at the position; nil before the first one.
func (r *replayScreen) current() *replay.Step {
	if r.page.pos == 0 {
		return nil
	}
	return &r.page.at.Step
}

// chips are the counters, each with its glyph and its word.
func (r *replayScreen) chips(w int) []string {
	var items []string
	for _, c := range replay.Classes {
		items = append(items, r.chip(c))
	}
	lines := cells.Flow(items, 2, w-2)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

func (r *replayScreen) chip(c replay.Class) string {
	style := r.theme.outcome(c)
	return style.Render(fmt.Sprintf("%s %s", glyph(c), number(count(c, &r.page.sums)))) + " " + style.Render(c.String())
}

func railOf(r *replayScreen, total int64) rail.Rail {
	return rail.Rail{
		Total: total, At: r.page.pos, Frontier: r.page.frontier, Mark: r.markGlyph,
		Done: r.theme.dim.Render, Rest: r.theme.edge.Render, Knob: r.theme.key.Render,
	}
}

// railLine is the day from its first request to its last, with what happened on it.
func (r *replayScreen) railLine(w int) string {
	total, _ := r.total()
	return " " + railOf(r, total).Line(w-2) + " "
}

func (r *replayScreen) markGlyph(from, to int64) string {
	switch k := r.marks.between(from, to); {
	case k&mismatchMark != 0:
		return r.theme.mismatch.Render("x")
	case k&inFlightMark != 0:
		return r.theme.inFlight.Render("!")
	case k&duplicateMark != 0:
		return r.theme.replayed.Render("◆")
	case k&refusedMark != 0:
		return r.theme.outcome(replay.Refused).Render(glyph(replay.Refused))
	}
	return ""
}

// stepWidths are the cells of the widest figures that a list has shown. They only
// grow, so that columns do not come and go while a day is played.
type stepWidths struct{ n, engine, v1 int }

// columns fit the steps that are shown, and those before them.
func (c *stepWidths) columns(steps []entry) []column.Column {
	c.n, c.engine, c.v1 = max(c.n, 3), max(c.engine, 6), max(c.v1, 8)
	for i := range steps {
		s := &steps[i].Step
		c.n = max(c.n, len(number(s.N)))
		c.engine = max(c.engine, column.Widest(moved(s.Moved, s.Currency)))
		c.v1 = max(c.v1, column.Widest(moved(s.V1Moved, s.V1Currency)))
	}
	return []column.Column{
		{Title: "", Min: 1},
		{Title: "#", Min: c.n, Right: true},
		{Title: "time", Min: 8, Drop: 2},
		{Title: "client", Min: 6, Max: 14, Drop: 3},
		{Title: "key", Min: 9, Max: 36, Drop: 4},
		{Title: "outcome", Min: 15},
		{Title: "code", Min: 4, Right: true, Drop: 1},
		{Title: "engine", Min: min(c.engine, 22), Right: true},
		{Title: "v1 moved", Min: min(c.v1, 22), Right: true},
		{Title: "", Min: 5},
		{Title: "", Min: 12, Max: 40, Drop: 5},
	}
}

// moved is an amount that a step moved; nothing is a dash, so that it is not
// taken for a sum of zero.
func moved(amount int64, currency string) string {
	if amount == 0 {
		return "–"
	}
	return money(amount, currency)
}

// again marks what the unprotected service moved a second time.
func again(s *replay.Step) string {
	if isDuplicate(s) {
		return "again"
	}
	return ""
}

func (r *replayScreen) visibleSteps() (from, to int) {
	return max(0, len(r.page.steps)-r.list.h+1), len(r.page.steps)
}

// stepList is the last steps up to the position, which is the last of them.
func (r *replayScreen) stepList(y, w, h int) []string {
	r.listY = y + 1
	return r.list.draw(r.version, w, h, func() []string {
		from := max(0, len(r.page.steps)-max(0, h-1))
		steps := r.page.steps[from:]
		l := column.Fit(r.picked("replay", r.widths.columns(steps)), 2, w-1)
		lines := []string{" " + r.theme.title.Render(l.Header())}
		for i := range steps {
			lines = append(lines, r.stepRow(l, &steps[i], steps[i].N == r.page.pos))
		}
		if len(steps) == 0 {
			lines = append(lines, "", "   "+r.theme.dim.Render(r.emptyText()))
		}
		return lines
	})
}

func (r *replayScreen) stepRow(l column.Layout, e *entry, chosen bool) string {
	s := &e.Step
	code := ""
	if s.Status != 0 {
		code = fmt.Sprint(s.Status)
	}
	texts := []string{
		"", number(s.N), clock(s.At), show(e.client, 14), short(e.key, l.Width(4)), glyph(s.Class) + " " + s.Class.String(), code,
		moved(s.Moved, s.Currency), moved(s.V1Moved, s.V1Currency), again(s), stepNote(s),
	}
	if _, marked := r.notes.book.At(s.N); marked {
		texts[0] = "•"
	}
	if chosen {
		texts[0] = "›"
		return r.theme.chosen.Render(" " + l.Row(texts, nil))
	}
	return " " + l.Row(texts, func(c int, text string) string { return r.stepStyle(s, c).Render(text) })
}

func (r *replayScreen) stepStyle(s *replay.Step, column int) ink {
	switch {
	case column == 5:
		return r.theme.outcome(s.Class)
	case (column == 8 || column == 9) && isDuplicate(s):
		return r.theme.extra
	case column == 2 || column == 6 || column == 10:
		return r.theme.dim
	}
	return r.theme.plain
}

// stepNote says in a few words why the outcome is what it is.
func stepNote(s *replay.Step) string {
	switch {
	case s.Expired:
		return "its key had expired"
	case s.Class == replay.Refused:
		return reasonText(s.Reason)
	case s.Holder != 0 && s.Holder != s.N:
		return "retry of " + number(s.Holder)
	}
	return ""
}

// reasonText is a machine's reason for people.
func reasonText(reason string) string {
	return show(strings.ReplaceAll(reason, "_", " "), 40)
}
