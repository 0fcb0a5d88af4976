package tui

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"idem/analysis/compare"
	"idem/analysis/replay"
	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/frame"
)

// view is what the two sides come to, the requests side by side, and on a screen
// that is high enough everything about the chosen one.
func (s *compareScreen) view(w, h int) []string {
	lines := append(s.sumLines(w), s.differLine(w))
	if line := s.messageLine(w); line != "" {
		lines = append(lines, line)
	}
	detail := s.detailLines(w)
	rest := h - len(lines)
	if rest < len(detail)+7 {
		detail = nil
	}
	s.tableTop = len(lines) + 1
	lines = append(lines, cells.Block(s.tableLines(w, rest-len(detail)), w, max(0, rest-len(detail)))...)
	return append(lines, detail...)
}

// compareMark tells the differences apart without colour.
func compareMark(d compare.Difference) string { return [...]string{" ", "~", "≠"}[d] }

// sumLines are the two sides' sums, a line each.
func (s *compareScreen) sumLines(w int) []string {
	sides := s.sides()
	if s.table != nil {
		sides = s.table.Sides
	}
	texts := make([][]string, 0, len(sides)+1)
	texts = append(texts, []string{"", "transfers", "moved", "extra", "paid again", "answers"})
	for i, side := range sides {
		row := []string{show(side.Name, 24), "…", "…", "…", "…", "…"}
		if s.table != nil {
			sum := &s.table.Sums[i]
			row = []string{show(side.Name, 24), number(sum.Transfers), sums(sum.Moved), number(sum.Extra.Count), sums(sum.Extra.ByCurrency), answersText(side, sum)}
		}
		texts = append(texts, row)
	}
	l := column.Fit(sumColumns(texts), 2, w-1)
	lines := []string{" " + s.theme.title.Render(l.Header())}
	for _, row := range texts[1:] {
		lines = append(lines, " "+l.Row(row, func(c int, text string) string {
			if c >= 3 && c <= 4 && row[3] != "0" {
				return s.theme.extra.Render(text)
			}
			return text
		}))
	}
	return lines
}

func sumColumns(texts [][]string) []column.Column {
	widest := func(c int) int { return column.Widest(texts[0][c], texts[1][c], texts[2][c]) }
	return []column.Column{
		{Title: "", Min: min(24, widest(0))},
		{Title: "transfers", Min: widest(1), Right: true},
		{Title: "moved", Min: min(22, widest(2)), Max: widest(2), Right: true},
		{Title: "extra", Min: widest(3), Right: true},
		{Title: "paid again", Min: min(22, widest(4)), Max: widest(4), Right: true, Drop: 1},
		{Title: "answers", Min: min(78, widest(5)), Drop: 2},
	}
}

// answersText are a side's requests by what they were answered.
func answersText(side compare.Side, s *compare.Sums) string {
	if side.Recorded {
		text := number(s.Succeeded) + " succeeded  " + number(s.Failed) + " failed"
		if s.Unlogged > 0 {
			text += "  " + number(s.Unlogged) + " not logged"
		}
		return text
	}
	words := map[replay.Class]string{replay.InFlight: "409", replay.Mismatch: "422"}
	var parts []string
	for _, c := range replay.Classes {
		parts = append(parts, glyph(c)+" "+number(s.Classes[c])+" "+cmp.Or(words[c], c.String()))
	}
	return strings.Join(parts, "  ")
}

// differLine is how many requests differ, and where the first one is.
func (s *compareScreen) differLine(w int) string {
	t := s.table
	switch {
	case t == nil && s.work.busy:
		return ""
	case t == nil:
		return " " + s.theme.dim.Render(cells.Cut("not compared; space compares", w-1))
	}
	all, money := t.Count(compare.Answer), t.Count(compare.Money)
	if all == 0 {
		return " " + s.theme.strong.Render(cells.Cut("the two sides do not differ in any of "+many(t.Total, "request", "requests"), w-1))
	}
	left := fmt.Sprintf("%s of %s differ: ≠ %s in money, ~ %s in the answer", number(all), number(t.Total), number(money), number(all-money))
	if s.least == compare.Money {
		left = fmt.Sprintf("≠ %s of %s differ in money; ~ other answers do not count", number(money), number(t.Total))
	}
	right := ""
	if first := t.Next(0, replay.Forward, s.least); first != 0 {
		right = "  first at " + number(first) + " "
	}
	return cells.Spread(" "+s.theme.strong.Render(left), s.theme.dim.Render(right), w)
}

// messageLine is what needs to be known first: what failed, what still runs, what
// is hidden.
func (s *compareScreen) messageLine(w int) string {
	switch {
	case s.err != nil:
		return s.theme.failure.Render(cells.Cut(" "+oneLine(s.err)+" · space tries again", w))
	case s.work.busy:
		return s.theme.notice.Render(cells.Cut(" "+s.work.text("comparing "+s.sidesText())+" · esc gives up", w))
	case s.only:
		hidden := s.table.Total - int64(s.window.Len())
		return s.theme.notice.Render(cells.Cut(fmt.Sprintf(" only what differs · %s of %s hidden · o shows all", number(hidden), many(s.table.Total, "request", "requests")), w))
	}
	return ""
}

func (s *compareScreen) sidesText() string {
	sides := s.sides()
	return show(sides[0].Name, 30) + " with " + show(sides[1].Name, 30)
}

// compareColumns fit the rows that are shown.
func (s *compareScreen) compareColumns(from, to int, narrow bool) []column.Column {
	n, left, right, differs := 3, 6, 6, 8
	for i := from; i < to; i++ {
		if r := s.at(i); r != nil {
			n = max(n, len(number(r.N)))
			left = max(left, column.Widest(cellMoney(r.Cells[0])))
			right = max(right, column.Widest(cellMoney(r.Cells[1])))
			differs = max(differs, column.Widest(differenceText(&r.Pair)))
		}
	}
	side := func(i int) column.Column {
		c := column.Column{Title: show(s.table.Sides[i].Name, 15), Min: 15}
		switch {
		case s.table.Sides[i].Recorded:
			c.Min = 8
		case narrow:
			c.Min = 11
		}
		return c
	}
	return []column.Column{
		{Title: "", Min: 2},
		{Title: "#", Min: n, Right: true},
		{Title: "time", Min: 8, Drop: 3},
		{Title: "client", Min: 6, Max: 14, Drop: 4},
		{Title: "key", Min: 9, Max: 36, Drop: 2},
		side(0),
		{Title: "moved", Min: min(left, 22), Right: true},
		side(1),
		{Title: "moved", Min: min(right, 22), Right: true},
		{Title: "", Min: min(differs, 30), Drop: 5},
	}
}

// tableLines are the requests on both sides.
func (s *compareScreen) tableLines(w, h int) []string {
	s.window.SetHeight(max(0, h-1))
	if s.table == nil || h < 1 {
		return nil
	}
	narrow := w < fullWidth
	from, to := s.window.Range()
	l := column.Fit(s.picked("compare", s.compareColumns(from, to, narrow)), map[bool]int{true: 1, false: 2}[narrow], w-1)
	lines := []string{" " + s.theme.title.Render(l.Header())}
	for i := from; i < to; i++ {
		lines = append(lines, s.compareRow(l, i, narrow))
	}
	if s.window.Len() == 0 {
		lines = append(lines, "   "+s.theme.dim.Render("no request to show"))
	}
	return lines
}

func (s *compareScreen) compareRow(l column.Layout, i int, narrow bool) string {
	lead := map[bool]string{true: "›", false: " "}[i == s.window.Cursor()]
	r := s.at(i)
	if r == nil {
		return " " + l.Row([]string{lead, "…"}, nil)
	}
	texts := []string{
		lead + compareMark(r.Differs), number(r.N), clock(r.at), show(r.client, 14), short(r.key, l.Width(4)),
		cellText(s.table.Sides[0], r.Cells[0], narrow), cellMoney(r.Cells[0]), cellText(s.table.Sides[1], r.Cells[1], narrow), cellMoney(r.Cells[1]),
		differenceText(&r.Pair),
	}
	if i == s.window.Cursor() {
		return s.theme.chosen.Render(" " + l.Row(texts, nil))
	}
	return " " + l.Row(texts, func(c int, text string) string { return s.cellStyle(r, c).Render(text) })
}

func (s *compareScreen) cellStyle(r *compareRow, column int) ink {
	switch {
	case column == 5 && !s.table.Sides[0].Recorded:
		return s.theme.outcome(r.Cells[0].Class)
	case column == 7 && !s.table.Sides[1].Recorded:
		return s.theme.outcome(r.Cells[1].Class)
	case r.Differs == compare.Money && (column == 0 || column == 6 || column == 8 || column == 9):
		return s.theme.extra
	case r.Differs == compare.Answer && column == 0:
		return s.theme.notice
	case column == 2:
		return s.theme.dim
	}
	return s.theme.plain
}

// cellText is what a client was told on one side.
func cellText(side compare.Side, c compare.Cell, narrow bool) string {
	if side.Recorded {
		if c.Status == 0 {
			return "–"
		}
		return strconv.Itoa(c.Status)
	}
	words := map[replay.Class]string{replay.InFlight: "in flight", replay.Mismatch: "mismatch"}
	usual := map[replay.Class]int{replay.Created: 201, replay.Replayed: 201, replay.InFlight: 409, replay.Mismatch: 422}
	word, own := words[c.Class]
	switch {
	case narrow && own:
		return glyph(c.Class) + " " + strconv.Itoa(c.Status)
	case narrow || c.Status == usual[c.Class]:
		return glyph(c.Class) + " " + c.Class.String()
	case !own:
		word = c.Class.String()
	}
	if c.Status == 0 {
		return glyph(c.Class) + " " + word
	}
	return glyph(c.Class) + " " + word + " " + strconv.Itoa(c.Status)
}

func cellMoney(c compare.Cell) string {
	text := moved(c.Moved, c.Currency)
	if c.Mixed {
		text += " +"
	}
	return text
}

// differenceText is what the right side moved more or less than the left one.
func differenceText(p *compare.Pair) string {
	left, right := p.Cells[0], p.Cells[1]
	switch {
	case p.Differs != compare.Money:
		return ""
	case left.Mixed || right.Mixed || (left.Moved != 0 && right.Moved != 0 && left.Currency != right.Currency):
		return "other currency"
	case right.Moved > left.Moved:
		return money(right.Moved-left.Moved, right.Currency) + " more"
	}
	return money(left.Moved-right.Moved, left.Currency) + " less"
}

// detailLines are everything about the chosen request.
func (s *compareScreen) detailLines(w int) []string {
	if s.table == nil || s.window.Len() == 0 {
		return nil
	}
	lines := make([]string, 1, 6)
	r := s.row()
	if r == nil {
		lines[0] = frame.Rule("", w, s.theme.edge.Render, s.theme.title.Render)
		return append(lines, make([]string, 5)...)
	}
	lines[0] = frame.Rule("#"+number(r.N)+"  "+show(r.client, 24), w, s.theme.edge.Render, s.theme.title.Render)
	add := func(name, text string) {
		lines = append(lines, cells.Cut(" "+s.theme.dim.Render(cells.Fit(name, 12))+"  "+text, w))
	}
	add("request", show(r.endpoint, 30)+"  key "+show(r.key, max(8, w-48)))
	for i, side := range s.table.Sides {
		add(show(side.Name, 12), sideText(side, r.Cells[i]))
	}
	add("difference", map[bool]string{true: r.Differs.String()}[r.Differs != compare.Money]+differenceText(&r.Pair))
	return append(lines, s.theme.dim.Render(cells.Cut(" v shows it in the replay, with its records and its body", w)))
}

// sideText is a request on one side in words.
func sideText(side compare.Side, c compare.Cell) string {
	told := cellText(side, c, false)
	if side.Recorded {
		told = "answered " + told
		if c.Status == 0 {
			told = "no answer was logged"
		}
	}
	if c.Reason != "" {
		told += ", " + reasonText(c.Reason)
	}
	if c.Moved == 0 {
		return told + "; no money moved"
	}
	return told + "; " + cellMoney(c) + " moved" + map[bool]string{true: ", and some in another currency"}[c.Mixed]
}
