package tui

import (
	"fmt"
	"strings"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/tui/cells"
	"idem/tui/column"
)

func (s *findingsScreen) view(w, h int) []string {
	switch {
	case s.page == findingsOne && s.list.selected() != nil:
		return scrolled(&s.scroll, s.findingLines(w, alone), w, h)
	case s.page == findingsTotal && s.found != nil:
		return scrolled(&s.scroll, s.sumLines(w), w, h)
	}
	lines := s.summary(w, h)
	if line := s.hiddenLine(w); line != "" {
		lines = append(lines, line)
	}
	return s.theme.listed(lines, w, h, listed{
		left: max(72, listWidth(w)), below: max(6, (h-len(lines))*60/100),
		title: "why", table: s.table, detail: s.findingLines,
	})
}

// summary is how much of what, how sure, and what became of the refunds. Where
// there is no room for it, the money is left out.
func (s *findingsScreen) summary(w, h int) []string {
	if s.found == nil {
		text := s.theme.dim.Render(s.look.text("looking for double payments"))
		if s.err != nil {
			text = s.theme.failure.Render(oneLine(s.err) + " · 5 looks again")
		}
		return []string{" " + cells.Cut(text, w-1)}
	}
	t := &s.found.Totals
	room := func(m analysis.Money, style ink) string {
		if h < 16 {
			return ""
		}
		return " " + style.Render(sums(m))
	}
	parts := []string{s.theme.strong.Render(many(t.Findings, "finding", "findings"))}
	for _, c := range []findings.Confidence{findings.Certain, findings.Probable, findings.Suspected} {
		if n := t.Extra(c); n.Transfers > 0 {
			parts = append(parts, s.sure(c).Render(c.String())+" "+number(n.Transfers)+room(n.Money, s.theme.extra))
		}
	}
	if t.Disputed.Transfers > 0 {
		parts = append(parts, s.theme.notice.Render("disputed")+" "+number(t.Disputed.Transfers)+room(t.Disputed.Money, s.theme.plain))
	}
	if n := int64(s.list.alike); n > 0 && !s.list.quiet {
		parts = append(parts, s.theme.dim.Render(number(n)+" hidden that accuse nobody"))
	}
	lines := cells.Flow(parts, 2, w-2)
	for i := range lines {
		lines[i] = " " + cells.Cut(lines[i], w-1)
	}
	return append(lines, s.refundsLine(w)...)
}

// refundsLine says what became of the lists of refunds.
func (s *findingsScreen) refundsLine(w int) []string {
	switch s.lists.state {
	case busy:
		return []string{" " + s.theme.dim.Render("writing the lists of refunds…")}
	case failed:
		return []string{s.theme.failure.Render(cells.Cut(" refunds not written (x tries again): "+oneLine(s.lists.err), w))}
	case done:
		text := fmt.Sprintf(" %d files written into %s: %s", len(s.lists.names), show(s.cfg.OutDir, max(12, w/3)), visible(strings.Join(s.lists.names, " ")))
		return []string{s.theme.stopped.Render(cells.Cut(text, w))}
	}
	return nil
}

// sure is how a confidence looks. Its word stands beside it.
func (s *findingsScreen) sure(c findings.Confidence) ink {
	switch c {
	case findings.Certain:
		return s.theme.strong
	case findings.Probable:
		return s.theme.notice
	}
	return s.theme.dim
}

func (s *findingsScreen) columns() []column.Column {
	list := []column.Column{
		{Title: "", Min: 1},
		{Title: "sure", Min: 9},
		{Title: "class", Min: 18, Max: 28},
		{Title: "client", Min: 8, Max: 12, Drop: 2},
		{Title: "extra paid", Min: min(max(12, s.list.widest), 26), Right: true},
		{Title: "gap", Min: 10, Right: true, Drop: 1},
	}
	list[findingOrders[s.list.sortBy].column].Title += map[bool]string{true: " ▲", false: " ▼"}[s.list.upward]
	return list
}

func (s *findingsScreen) table(y, w, h int) []string {
	l := column.Fit(s.picked("findings", s.columns()), 2, w-1)
	s.list.window.SetHeight(h - 1)
	s.tableTop, s.tableEnd = y+1, w
	lines := []string{" " + s.theme.title.Render(l.Header())}
	from, to := s.list.window.Range()
	for i := from; i < to; i++ {
		lines = append(lines, s.row(l, i))
	}
	if len(lines) == 1 && s.found != nil {
		lines = append(lines, "", "   "+s.theme.dim.Render(s.emptyText()))
	}
	return cells.Block(lines, w, h)
}

func (s *findingsScreen) row(l column.Layout, i int) string {
	f := &s.found.Findings[s.list.order[i]]
	texts := []string{"", f.Confidence.String(), className(f.Class), show(f.ClientID(), 12), stakeText(f), gapText(f)}
	if i == s.list.window.Cursor() {
		texts[0] = "›"
		return s.theme.chosen.Render(" " + l.Row(texts, nil))
	}
	return " " + l.Row(texts, func(c int, text string) string {
		switch {
		case c == 1:
			return s.sure(f.Confidence).Render(text)
		case c == 4 && len(f.Extra) > 0:
			return s.theme.extra.Render(text)
		case c == 4 && len(f.Disputed) > 0:
			return s.theme.notice.Render(text)
		case c == 5:
			return s.theme.dim.Render(text)
		}
		return text
	})
}

// gapText is the time between the sends of a finding.
func gapText(f *findings.Finding) string {
	if len(f.Sends) < 2 {
		return "one send"
	}
	if len(f.Gaps()) == 0 {
		return "no time"
	}
	return lag(span(f))
}

// hiddenLine says which filter is on, and what it and the quiet of the list hide.
func (s *findingsScreen) hiddenLine(w int) string {
	if s.list.sieve.text() == "" || s.found == nil {
		return ""
	}
	all := len(s.found.Findings)
	hidden := number(int64(all-s.list.window.Len())) + " of " + many(int64(all), "finding", "findings") + " hidden"
	return s.list.sieve.line(&s.theme, hidden, w)
}

func (s *findingsScreen) emptyText() string {
	switch {
	case s.list.sorting():
		return "sorting…"
	case s.list.sieve.text() != "":
		return "no finding answers to the filter · esc shows all"
	case len(s.found.Findings) > 0 && !s.list.quiet:
		return "no transfer is accused · a shows what only looks like a duplicate"
	}
	return "no transfer is accused: nothing was paid twice"
}

// sumLines are the totals of each client and each payee.
func (s *findingsScreen) sumLines(w int) []string {
	lines := append([]string{""}, s.summary(w, fullHeight)...)
	lines = append(lines, s.sumTable("client", s.found.ByClient, w)...)
	lines = append(lines, s.sumTable("payee", s.found.ByPayee, w)...)
	return append(lines, "", s.theme.dim.Render(cells.Cut(" certain: a key or the log proves it · disputed: one of them was meant", w)))
}

// sumsMost is how many clients or payees are shown.
const sumsMost = 500

func (s *findingsScreen) sumTable(of string, list []findings.Sum, w int) []string {
	l := column.Fit([]column.Column{
		{Title: of, Min: 12, Max: 24},
		{Title: "findings", Min: 8, Right: true, Drop: 2},
		{Title: "certain", Min: 14, Max: 24, Right: true},
		{Title: "probable", Min: 14, Max: 24, Right: true, Drop: 1},
		{Title: "suspected", Min: 14, Max: 24, Right: true, Drop: 3},
		{Title: "disputed", Min: 14, Max: 24, Right: true},
	}, 2, w-1)
	lines := []string{"", " " + s.theme.title.Render(l.Header())}
	for i := range list[:min(len(list), sumsMost)] {
		t := &list[i]
		lines = append(lines, " "+l.Row([]string{
			show(t.Name, 24), number(t.Findings), sums(t.Certain.Money), sums(t.Probable.Money), sums(t.Suspected.Money), sums(t.Disputed.Money),
		}, nil))
	}
	if more := len(list) - sumsMost; more > 0 {
		lines = append(lines, s.theme.dim.Render(" and "+number(int64(more))+" more"))
	}
	return lines
}

func idsOf(list []findings.Transfer) []string {
	var ids []string
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return ids
}
