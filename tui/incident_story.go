package tui

import (
	"fmt"
	"strings"
	"time"

	"idem/analysis"
	"idem/tui/cells"
	"idem/tui/column"
)

// place is where a detail stands, which decides how much is told.
type place uint8

const (
	under    place = iota // the list, with a rule between them
	squeezed              // under it, on a screen that is not high
	beside                // the list
	alone                 // on the screen: everything in full
)

// storyLines is what happened under the selected key.
func (s *incidentScreen) storyLines(w int, at place) []string {
	g := s.list.selected()
	if g == nil {
		return nil
	}
	lines := s.storyHead(g, w, at)
	switch {
	case !s.story.known || s.story.key != g.Scope:
		return append(lines, s.theme.dim.Render(" looking…"))
	case s.story.err != nil:
		return append(lines, s.theme.failure.Render(cells.Cut(" "+oneLine(s.story.err), w)))
	}
	l := column.Fit(storyColumns(s.story.requests), 2, w-1)
	lines = append(lines, " "+s.theme.title.Render(l.Header()))
	for i := range s.story.requests[:min(len(s.story.requests), storyMost)] {
		lines = append(lines, s.requestLines(l, g, i)...)
		if at == alone {
			lines = append(lines, s.bodyLines(&s.story.requests[i], w)...)
		}
	}
	if more := len(s.story.requests) - storyMost; more > 0 {
		lines = append(lines, s.theme.dim.Render(" and "+many(int64(more), "more request", "more requests")))
	}
	return lines
}

func (s *incidentScreen) storyHead(g *analysis.Group, w int, at place) []string {
	who := s.theme.strong.Render(show(g.ClientID, 24) + "  " + show(g.Endpoint, 32))
	what := s.theme.dim.Render(fmt.Sprintf("%s, %s, %s paid again", many(g.Requests, "request", "requests"),
		many(g.Transfers, "transfer", "transfers"), sums(g.Paid)))
	switch at {
	case under:
		return []string{cells.Cut(" "+who+"  "+what, w-1)}
	case beside:
		return []string{cells.Cut(" "+who, w-1), " " + short(g.Key, w-2), cells.Cut(" "+what, w-1), ""}
	}
	lines := []string{"", cells.Cut(" "+who, w-1), cells.Cut(" "+what, w-1), "", " " + s.theme.title.Render("key")}
	return append(append(lines, indent(cells.Wrap(visible(g.Key), w-4))...), "")
}

func storyColumns(requests []analysis.Request) []column.Column {
	amounts := []string{"amount"}
	n := 1
	for _, r := range requests[:min(len(requests), 50)] {
		n = max(n, len(number(r.N)))
		for _, t := range r.Transfers {
			amounts = append(amounts, money(t.Amount, t.Currency))
		}
	}
	return []column.Column{
		{Title: "#", Min: n, Right: true},
		{Title: "time", Min: 12, Drop: 2},
		{Title: "gap", Min: 9, Right: true, Drop: 1},
		{Title: "transfer", Min: 8, Max: 20},
		{Title: "amount", Min: min(20, column.Widest(amounts...)), Right: true},
		{Title: "", Min: 5, Max: 12},
	}
}

// requestLines is one line for each transfer of a request, one where there was none.
func (s *incidentScreen) requestLines(l column.Layout, g *analysis.Group, i int) []string {
	r := &s.story.requests[i]
	texts := []string{number(r.N), timeText(r.ReceivedAt, "15:04:05.000"), s.gap(i), "none", "", "moved nothing"}
	if len(r.Transfers) == 0 {
		return []string{" " + l.Row(texts, func(_ int, text string) string { return s.theme.dim.Render(text) })}
	}
	var lines []string
	for _, t := range r.Transfers {
		first, extra := kept(g, t.ID)
		texts = append(texts[:3], show(t.ID, 20), money(t.Amount, t.Currency), verdict(first, extra))
		lines = append(lines, " "+l.Row(texts, func(c int, text string) string {
			if c < 3 || !extra {
				return text
			}
			return s.theme.extra.Render(text)
		}))
		texts = []string{"", "", ""}
	}
	return lines
}

func verdict(first, extra bool) string {
	switch {
	case first:
		return "kept"
	case extra:
		return "EXTRA"
	}
	return "other"
}

// gap is how long after the first request of the key request i came.
func (s *incidentScreen) gap(i int) string {
	first, at := s.story.requests[0].ReceivedAt, s.story.requests[i].ReceivedAt
	if i == 0 || first.IsZero() || at.IsZero() {
		return ""
	}
	return lag(at.Sub(first))
}

// bodyMost is how much of a body is shown.
const bodyMost = 4000

func (s *incidentScreen) bodyLines(r *analysis.Request, w int) []string {
	facts := []string{"seq " + fmt.Sprint(r.Seq)}
	if r.HasDur {
		facts = append(facts, "took "+r.Duration.Round(time.Millisecond).String())
	}
	if r.Status != 0 {
		facts = append(facts, fmt.Sprintf("answered %d", r.Status))
	}
	if r.Node != "" {
		facts = append(facts, "at "+show(r.Node, 20))
	}
	lines := []string{"   " + s.theme.dim.Render(strings.Join(facts, " · "))}
	return append(append(lines, indent(wrapBytes(r.Body, w-4))...), "")
}

// wrapBytes shows the beginning of a body, and its size where it is cut.
func wrapBytes(body []byte, w int) []string {
	if len(body) == 0 {
		return []string{"(no body)"}
	}
	text := visible(string(body[:min(len(body), bodyMost)]))
	lines := cells.Wrap(text, w)
	if len(body) > bodyMost {
		lines = append(lines, fmt.Sprintf("… cut, %s in all", many(int64(len(body)), "byte", "bytes")))
	}
	return lines
}

func indent(lines []string) []string {
	for i, l := range lines {
		lines[i] = "   " + l
	}
	return lines
}
