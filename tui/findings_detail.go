package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"idem/analysis/findings"
	"idem/report"
	"idem/tui/cells"
	"idem/tui/column"
)

// rowsMost is how many transfers or requests of one finding are shown.
const rowsMost = 300

// findingLines is the selected finding: why, then the transfers, then the
// requests as evidence.
func (s *findingsScreen) findingLines(w int, at place) []string {
	f := s.list.selected()
	if f == nil {
		return nil
	}
	lines := s.findingHead(f, w, at)
	lines = append(lines, s.whyLines(f, w, at)...)
	if at != under {
		lines = append(lines, "")
	}
	lines = append(lines, s.transferLines(f, w)...)
	if at != under {
		lines = append(lines, "")
	}
	lines = append(lines, s.sendLines(f, w, at)...)
	if beat := f.Beat(); len(beat) > 0 && at != under {
		names := make([]string, len(beat))
		for i, c := range beat {
			names[i] = className(c)
		}
		text := "explains it better than: " + strings.Join(names, ", ")
		lines = append(append(lines, ""), s.dimLines(text, w)...)
	}
	return lines
}

func (s *findingsScreen) findingHead(f *findings.Finding, w int, at place) []string {
	who := s.theme.strong.Render(className(f.Class)) + "  " + s.sure(f.Confidence).Render(f.Confidence.String())
	where := show(f.ClientID(), 24) + "  " + show(f.Endpoint(), 32)
	if at == under {
		return []string{cells.Cut(" "+who+"  "+s.theme.dim.Render(where), w-1)}
	}
	lines := []string{cells.Cut(" "+who, w-1), cells.Cut(" "+s.theme.dim.Render(where), w-1), ""}
	if at == alone {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// whyLines is the chain from the money back to its cause, a line for each link.
func (s *findingsScreen) whyLines(f *findings.Finding, w int, at place) []string {
	why, err := report.Why(f)
	if err != nil {
		return []string{s.theme.failure.Render(cells.Cut(" "+oneLine(err), w))}
	}
	var lines []string
	for _, chain := range why.Chains {
		for i := range chain {
			lead := " "
			if i > 0 {
				lead = "   ← "
			}
			lines = append(lines, s.linkLines(lead, chain[i].Text, w, at)...)
		}
	}
	for i := range why.Notes {
		if at == under {
			lines = append(lines, s.linkLines(" ", why.Notes[i].Text, w, at)...)
		} else {
			lines = append(lines, s.dimLines(visible(why.Notes[i].Text), w)...)
		}
	}
	return lines
}

func (s *findingsScreen) linkLines(lead, link string, w int, at place) []string {
	room := w - cells.Width(lead) - 1
	if at == under {
		return []string{s.theme.key.Render(lead) + cells.Cut(visible(link), room)}
	}
	lines := cells.Wrap(visible(link), room)
	for i := range lines {
		if i == 0 {
			lines[i] = s.theme.key.Render(lead) + lines[i]
		} else {
			lines[i] = cells.Blank(cells.Width(lead)) + lines[i]
		}
	}
	return lines
}

func (s *findingsScreen) dimLines(text string, w int) []string {
	lines := cells.Wrap(text, w-2)
	for i := range lines {
		lines[i] = " " + s.theme.dim.Render(lines[i])
	}
	return lines
}

// role is what a transfer is in a finding.
type role struct {
	word string
	list []findings.Transfer
}

func rolesOf(f *findings.Finding) []role {
	var first []findings.Transfer
	if f.Kept != nil {
		first = []findings.Transfer{*f.Kept}
	}
	return []role{{"kept", first}, {"kept", f.AlsoKept}, {"EXTRA", f.Extra}, {"disputed", f.Disputed}, {"alike", f.Alike}}
}

func (s *findingsScreen) transferLines(f *findings.Finding, w int) []string {
	amounts := []string{"amount"}
	for _, t := range f.Transfers()[:min(len(f.Transfers()), rowsMost)] {
		amounts = append(amounts, money(t.Amount, t.Currency))
	}
	l := column.Fit([]column.Column{
		{Title: "", Min: 8},
		{Title: "transfer", Min: 8, Max: 20},
		{Title: "amount", Min: min(20, column.Widest(amounts...)), Right: true},
		{Title: "from", Min: 6, Max: 16, Drop: 2},
		{Title: "to", Min: 6, Max: 16, Drop: 2},
		{Title: "time", Min: 12, Drop: 1},
		{Title: "tied by", Min: 9, Max: 13, Drop: 3},
	}, 2, w-1)
	lines := []string{" " + s.theme.title.Render(l.Header())}
	for _, r := range rolesOf(f) {
		for i := range r.list[:min(len(r.list), rowsMost)] {
			lines = append(lines, s.transferLine(l, r.word, &r.list[i]))
		}
		if more := len(r.list) - rowsMost; more > 0 {
			lines = append(lines, s.theme.dim.Render(fmt.Sprintf(" and %s more %s", number(int64(more)), r.word)))
		}
	}
	return lines
}

func (s *findingsScreen) transferLine(l column.Layout, word string, t *findings.Transfer) string {
	tied := t.Join
	if tied == "" {
		tied = "ledger"
	}
	texts := []string{word, show(t.ID, 20), money(t.Amount, t.Currency), show(t.Src, 16), show(t.Dst, 16), timeText(t.At, "15:04:05.000"), tied}
	return " " + l.Row(texts, func(c int, text string) string {
		switch {
		case word == "EXTRA" && c < 3:
			return s.theme.extra.Render(text)
		case word == "disputed" && c < 3:
			return s.theme.notice.Render(text)
		case c > 2:
			return s.theme.dim.Render(text)
		}
		return text
	})
}

// sendLines are the requests, in the order of time.
func (s *findingsScreen) sendLines(f *findings.Finding, w int, at place) []string {
	l := column.Fit([]column.Column{
		{Title: "request", Min: 7, Right: true},
		{Title: "time", Min: 12},
		{Title: "gap", Min: 9, Right: true, Drop: 1},
		{Title: "code", Min: 4, Right: true},
		{Title: "took", Min: 8, Right: true, Drop: 4},
		{Title: "key", Min: 13, Max: 38},
		{Title: "order", Min: 8, Max: 18, Drop: 3},
		{Title: "found in", Min: 14, Max: 30, Drop: 5},
	}, 2, w-1)
	lines := []string{" " + s.theme.title.Render(l.Header())}
	for i := range f.Sends[:min(len(f.Sends), rowsMost)] {
		lines = append(lines, " "+l.Row(sendTexts(f, i, l), nil))
		if at == alone {
			lines = append(lines, s.sendNotes(&f.Sends[i], w)...)
		}
	}
	if more := len(f.Sends) - rowsMost; more > 0 {
		lines = append(lines, s.theme.dim.Render(" and "+many(int64(more), "more request", "more requests")))
	}
	return lines
}

func sendTexts(f *findings.Finding, i int, l column.Layout) []string {
	r := &f.Sends[i]
	if !r.Known {
		return []string{"–", timeText(r.At, "15:04:05.000"), "", "", "", "not in the log"}
	}
	gap, code, took, key := "", "–", "–", short(r.Key, l.Width(5))
	if i > 0 && !r.At.IsZero() && !f.Sends[i-1].At.IsZero() {
		gap = lag(r.At.Sub(f.Sends[i-1].At))
	}
	if r.Status != 0 {
		code = fmt.Sprint(r.Status)
	}
	if r.Duration >= 0 {
		took = r.Duration.Round(time.Millisecond).String()
	}
	if r.Key == "" {
		key = "no key"
	}
	return []string{fmt.Sprint(r.Seq), timeText(r.At, "15:04:05.000"), gap, code, took, key, show(r.Ref, 18), originText(r, 30)}
}

func originText(r *findings.Send, w int) string {
	if r.Origin == nil {
		return ""
	}
	return show(fmt.Sprintf("%s:%d", filepath.Base(r.Origin.File), r.Origin.Line), w)
}

// sendNotes are what a row of the table has no room for.
func (s *findingsScreen) sendNotes(r *findings.Send, w int) []string {
	var facts []string
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, name+" "+text)
		}
	}
	add("key", visible(r.Key))
	add("key in the body", show(r.BodyKey, 200))
	add("order", show(r.Ref, 200))
	add("client", show(r.ClientID, 200))
	add("endpoint", show(r.Endpoint, 200))
	add("at", show(r.Node, 100))
	if r.Attempts > 1 {
		add("attempts", fmt.Sprint(r.Attempts))
	}
	if r.Origin != nil {
		add("line", originText(r, 200))
		add("note", show(r.Origin.Note, 400))
	}
	lines := cells.Wrap(strings.Join(facts, " · "), w-6)
	for i := range lines {
		lines[i] = "     " + s.theme.dim.Render(lines[i])
	}
	return lines
}

// whyText is the chain as text, for the clipboard.
func whyText(f *findings.Finding) string {
	why, err := report.Why(f)
	if err != nil {
		return oneLine(err)
	}
	return strings.Join(why.Lines("\n  <- "), "\n")
}
