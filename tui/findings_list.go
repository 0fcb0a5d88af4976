package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/analysis/findings"
	"idem/tui/column"
	"idem/tui/rows"
)

// accusations is the list of findings, sorted and filtered. The findings are
// never moved: order says which are shown and in which sequence, and commands
// make a new order.
type accusations struct {
	found  *findings.Result
	order  []int32
	widest int // cells of the longest sum
	window rows.Window
	sortBy int
	filter string
	quiet  bool // with those that accuse nobody
	asked  int  // number of the newest order asked for
	got    int  // and of the one that is shown
}

// findingOrders are the ways to sort findings. What is equal keeps the order of
// the analysis: what accuses first, then by time.
var findingOrders = []struct {
	name   string
	column int // that it is about
	before func(a, b *weighed) int
}{
	{"confidence and money", 1, func(a, b *weighed) int {
		return cmp.Or(cmp.Compare(b.sure, a.sure), cmp.Compare(b.money, a.money))
	}},
	{"money", 4, func(a, b *weighed) int { return cmp.Compare(b.money, a.money) }},
	{"class", 2, func(a, b *weighed) int { return strings.Compare(string(a.f.Class), string(b.f.Class)) }},
	{"client", 3, func(a, b *weighed) int { return strings.Compare(a.f.ClientID(), b.f.ClientID()) }},
	{"gap", 5, func(a, b *weighed) int { return cmp.Compare(b.gap, a.gap) }},
}

// weighed is a finding with what it is sorted by.
type weighed struct {
	f     *findings.Finding
	i     int32
	sure  int // confidence, those that accuse before those that do not
	money int64
	gap   time.Duration
}

type listedMsg struct {
	of     *findings.Result
	asked  int
	order  []int32
	widest int
}

// selected is the finding under the cursor; nil when there is none.
func (l *accusations) selected() *findings.Finding {
	if i := l.window.Cursor(); l.found != nil && i < len(l.order) {
		return &l.found.Findings[l.order[i]]
	}
	return nil
}

func (l *accusations) arrange(found *findings.Result) tea.Cmd {
	l.found = found
	return l.reorder()
}

func (l *accusations) next() tea.Cmd {
	l.sortBy = (l.sortBy + 1) % len(findingOrders)
	return l.reorder()
}

func (l *accusations) filtered(text string) tea.Cmd {
	if text == l.filter {
		return nil
	}
	l.filter = text
	return l.reorder()
}

func (l *accusations) toggleQuiet() tea.Cmd {
	l.quiet = !l.quiet
	return l.reorder()
}

func (l *accusations) sorting() bool { return l.asked != l.got }

func (l *accusations) reorder() tea.Cmd {
	if l.found == nil {
		return nil
	}
	l.asked++
	found, asked, filter, by, quiet := l.found, l.asked, strings.ToLower(l.filter), l.sortBy, l.quiet
	return func() tea.Msg {
		order, widest := orderFindings(found.Findings, filter, quiet, findingOrders[by].before)
		return listedMsg{found, asked, order, widest}
	}
}

// took takes an order in unless a newer one is on its way, and keeps the cursor
// on the finding it was on.
func (l *accusations) took(msg listedMsg) {
	if msg.of != l.found || msg.asked != l.asked {
		return
	}
	was := int32(-1)
	if i := l.window.Cursor(); i < len(l.order) && l.got > 0 {
		was = l.order[i]
	}
	l.order, l.widest, l.got = msg.order, msg.widest, msg.asked
	l.window.SetLen(len(l.order))
	l.window.To(max(0, slices.Index(l.order, was)))
}

func orderFindings(all []findings.Finding, filter string, quiet bool, before func(a, b *weighed) int) (order []int32, widest int) {
	var list []weighed
	for i := range all {
		f := &all[i]
		if (f.Accuses() || quiet) && (filter == "" || findingHolds(f, filter)) {
			list = append(list, weigh(f, int32(i)))
			widest = max(widest, column.Widest(stakeText(f)))
		}
	}
	slices.SortStableFunc(list, func(a, b weighed) int { return before(&a, &b) })
	order = make([]int32, len(list))
	for i := range list {
		order[i] = list[i].i
	}
	return order, widest
}

func weigh(f *findings.Finding, i int32) weighed {
	w := weighed{f: f, i: i, sure: int(f.Confidence), gap: span(f)}
	if f.Accuses() {
		w.sure += int(findings.Certain)
	}
	stake := stakeOf(f)
	for _, c := range stake.Currencies() {
		w.money = max(w.money, stake.Of(c))
	}
	return w
}

// stakeOf is the money that a finding is about: what was paid once too often, or
// all that is disputed.
func stakeOf(f *findings.Finding) analysis.Money {
	if len(f.Extra) > 0 {
		return f.Paid
	}
	var sum analysis.Money
	for i := range f.Disputed {
		if sum.Add(f.Disputed[i].Currency, f.Disputed[i].Amount) != nil {
			break // the analysis itself fails on such sums
		}
	}
	return sum
}

// stakeText marks what is disputed, so that it is not taken for extra money.
func stakeText(f *findings.Finding) string {
	switch {
	case len(f.Extra) > 0:
		return sums(f.Paid)
	case len(f.Disputed) > 0:
		return "? " + sums(stakeOf(f))
	}
	return "–"
}

// span is the time from the first request to the last.
func span(f *findings.Finding) time.Duration {
	var sum time.Duration
	for _, gap := range f.Gaps() {
		sum += gap
	}
	return sum
}

// findingHolds reports whether class, client, endpoint, a key or a transfer has
// lower in its name.
func findingHolds(f *findings.Finding, lower string) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), lower) }
	if has(className(f.Class)) || has(string(f.Class)) || has(f.Confidence.String()) {
		return true
	}
	for i := range f.Sends {
		if s := &f.Sends[i]; has(s.ClientID) || has(s.Endpoint) || has(s.Key) || has(s.Ref) {
			return true
		}
	}
	for _, t := range f.Transfers() {
		if has(t.ID) || has(t.Src) || has(t.Dst) {
			return true
		}
	}
	return false
}

// className is a class in words.
func className(c findings.Class) string {
	return strings.ToLower(strings.ReplaceAll(string(c), "_", " "))
}
