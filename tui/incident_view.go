package tui

import (
	"fmt"
	"strings"
	"time"

	"idem/analysis"
	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/frame"
	"idem/tui/spark"
)

func (s *incidentScreen) view(w, h int) []string {
	switch {
	case s.open:
		return scrolled(&s.scroll, s.storyLines(w, alone), w, h)
	case s.problems:
		return scrolled(&s.scroll, s.problemLines(w), w, h)
	}
	lines := s.summary(w, h)
	if line := s.noticeLine(w); line != "" {
		lines = append(lines, line)
	}
	if line := s.filterLine(w); line != "" {
		lines = append(lines, line)
	}
	title := "under this key"
	if g := s.list.selected(); g != nil {
		title = "under " + short(g.Key, w/2)
	}
	return s.theme.listed(lines, w, h, listed{
		left: listWidth(w), below: max(5, (h-len(lines))*45/100),
		title: title, table: s.table, detail: s.storyLines,
	})
}

// summary is the sums and the load over the day: cards where there is room for
// them, a line where there is not.
func (s *incidentScreen) summary(w, h int) []string {
	if h < 20 {
		return []string{s.summaryLine(w)}
	}
	return s.cards.draw(s.version, w, h, func() []string {
		if w < wideEnough {
			return append(s.cardRow(w), s.loadLine(w))
		}
		loads := []string{"", s.loadPart("requests/h", true, w-84), s.loadPart("retries/h ", false, w-84)}
		return cells.Beside(s.cardRow(81), " ", loads)
	})
}

// cardRow is a card for each sum, as narrow as its title allows; the first one
// gets the room that is left.
func (s *incidentScreen) cardRow(w int) []string {
	figures := s.figures()
	first := w - 2
	for _, c := range figures[1:] {
		first -= cardWidth(c) + 1
	}
	row := cells.Block(nil, 1, 3)
	for i, c := range figures {
		width := cardWidth(c)
		if i == 0 {
			width = max(first, 4)
		}
		card := frame.Card(c.title, c.value, width, s.theme.edge.Render, s.theme.title.Render)
		row = cells.Beside(cells.Beside(row, "", card), "", cells.Block(nil, 1, 3))
	}
	return row
}

func cardWidth(f figure) int { return max(cells.Width(f.title)+4, cells.Width(f.value)+4) }

// figure is one sum with its name.
type figure struct{ title, value string }

func (s *incidentScreen) figures() []figure {
	d := s.found
	if d == nil {
		text := s.theme.dim.Render(s.counted.text())
		if s.partErr != nil {
			text = s.theme.failure.Render("failed")
		}
		return []figure{{"double paid", text}, {"extra transfers", text}, {"duplicate keys", text}, {"unique keys", text}}
	}
	return []figure{
		{"double paid", s.theme.extra.Render(sums(d.DoublePaid))},
		{"extra transfers", s.theme.strong.Render(number(d.ExtraTransfers))},
		{"duplicate keys", s.theme.strong.Render(number(d.DuplicateKeys))},
		{"unique keys", s.theme.strong.Render(number(d.UniqueKeys))},
	}
}

// summaryLine is the sums in few words.
func (s *incidentScreen) summaryLine(w int) string {
	f := s.figures()
	line := s.theme.dim.Render("double paid ") + f[0].value
	if s.found != nil {
		line += s.theme.dim.Render(" · ") + f[1].value + s.theme.dim.Render(" extra · ") +
			f[2].value + s.theme.dim.Render(" of ") + f[3].value + s.theme.dim.Render(" keys")
	}
	return " " + cells.Fit(line, w-1)
}

// loadLine is both loads side by side.
func (s *incidentScreen) loadLine(w int) string {
	half := (w - 4) / 2
	return " " + s.loadPart("requests/h", true, half) + "  " + s.loadPart("retries/h", false, half)
}

// loadPart is a sparkline with its name and its peak, in exactly w cells.
func (s *incidentScreen) loadPart(name string, all bool, w int) string {
	name = s.theme.dim.Render(name) + " "
	if s.load == nil || s.load.Width <= 0 {
		text := "counting…"
		if s.load != nil {
			text = "no time can be read"
			if s.found != nil && s.found.Requests == 0 {
				text = "none"
			}
		}
		return cells.Fit(name+s.theme.dim.Render(text), w)
	}
	values := s.load.Retries
	if all {
		values = s.load.Requests
	}
	peak := peakText(s.load, values)
	if w < 38 {
		peak = ""
	}
	room := max(4, w-cells.Width(name)-cells.Width(peak)-1)
	line := strings.TrimRight(spark.Line(values, room), " ")
	return cells.Fit(name+s.theme.replayed.Render(line)+" "+s.theme.dim.Render(peak), w)
}

// peakText is the busiest slice as a rate an hour, and when it began.
func peakText(t *analysis.Timeline, values []int64) string {
	most, at := int64(0), 0
	for i, v := range values {
		if v > most {
			most, at = v, i
		}
	}
	if most == 0 {
		return "none"
	}
	perHour := int64(float64(most)*float64(time.Hour)/float64(t.Width) + 0.5)
	return fmt.Sprintf("up to %s/h at %s", number(perHour), t.Start.Add(time.Duration(at)*t.Width).UTC().Format("15:04"))
}

// noticeLine tells of rows that the sums leave out, and of answers that failed.
func (s *incidentScreen) noticeLine(w int) string {
	if s.partErr != nil {
		return s.theme.failure.Render(cells.Cut(" "+oneLine(s.partErr)+" · r opens the incident again", w))
	}
	if s.found == nil {
		return ""
	}
	if parts := problems(s.found); len(parts) > 0 {
		return s.theme.notice.Render(cells.Cut(" "+strings.Join(parts, " · ")+" (u lists them)", w))
	}
	return ""
}

// filterLine says what the filter hides.
func (s *incidentScreen) filterLine(w int) string {
	if s.found == nil || s.list.sieve.text() == "" {
		return ""
	}
	all := int64(len(s.found.Groups))
	hidden := all - int64(s.list.window.Len())
	return s.list.sieve.line(&s.theme, fmt.Sprintf("%s of %s hidden", number(hidden), many(all, "key", "keys")), w)
}

// duplicateColumns are the list's columns for what it holds.
func (s *incidentScreen) duplicateColumns() []column.Column {
	widest := s.list.widest
	most := max(column.Widest("extra paid ▼"), widest.paid)
	key := max(5, widest.key) // short keys leave their room to the client
	return []column.Column{
		{Title: "", Min: 1},
		{Title: "key", Min: min(key, 13), Max: key},
		{Title: "client", Min: 6, Max: max(6, widest.client), Drop: 2},
		{Title: "endpoint", Min: 14, Max: 20, Drop: 4},
		{Title: "n", Min: 3, Right: true},
		{Title: "extra paid", Min: min(most, 24), Right: true},
		{Title: "first", Min: 8, Drop: 1},
		{Title: "last", Min: 10, Right: true, Drop: 3},
	}
}

// sortedColumn is the column that a sorting is about.
var sortedColumn = []int{5, 4, 6, 7, 2, 3, 1}

func (s *incidentScreen) table(y, w, h int) []string {
	l := column.Fit(s.picked("incident", s.duplicateColumns()), 2, w-1)
	s.list.window.SetHeight(h - 1)
	s.tableTop, s.tableEnd = y+1, w
	lines := []string{s.tableHead(l)}
	from, to := s.list.window.Range()
	for i := from; i < to; i++ {
		lines = append(lines, s.tableRow(l, i))
	}
	if len(lines) == 1 {
		lines = append(lines, "", "   "+s.theme.dim.Render(s.emptyText()))
	}
	return cells.Block(lines, w, h)
}

func (s *incidentScreen) tableHead(l column.Layout) string {
	titles := make([]string, 0, 8)
	for i, c := range s.duplicateColumns() {
		if i == sortedColumn[s.list.sortBy] {
			c.Title += map[bool]string{true: " ▲", false: " ▼"}[s.list.upward]
		}
		titles = append(titles, c.Title)
	}
	return " " + s.theme.title.Render(l.Row(titles, nil))
}

func (s *incidentScreen) tableRow(l column.Layout, i int) string {
	g := &s.list.found.Groups[s.list.order[i]]
	texts := []string{
		"", short(g.Key, l.Width(1)), show(g.ClientID, longestClient), show(g.Endpoint, 20), number(g.Transfers),
		sums(g.Paid), clock(g.FirstAt), lag(g.LastAt.Sub(g.FirstAt)),
	}
	if i == s.list.window.Cursor() {
		texts[0] = "›"
		return s.theme.chosen.Render(" " + l.Row(texts, nil))
	}
	return " " + l.Row(texts, func(c int, text string) string {
		switch c {
		case 5:
			return s.theme.extra.Render(text)
		case 3, 7:
			return s.theme.dim.Render(text)
		}
		return text
	})
}

func (s *incidentScreen) emptyText() string {
	switch {
	case s.partErr != nil:
		return "the duplicates could not be counted"
	case s.found == nil:
		return s.counted.text()
	case s.list.sorting():
		return "sorting…"
	case !s.list.sieve.now().Empty():
		return "no key answers to " + show(s.list.sieve.text(), 40) + " · esc shows all"
	}
	if s.found.Requests == 0 {
		return s.noRequests()
	}
	return "no key has more than one transfer: nothing was paid twice"
}
