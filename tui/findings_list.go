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
	"idem/tui/query"
	"idem/tui/rows"
)

// accusations is the list of findings, sorted and filtered. The findings are
// never moved: order says which are shown and in which sequence, and commands
// make a new order.
type accusations struct {
	found  *findings.Result
	order  []int32
	widest int // cells of the longest sum
	alike  int // how many accuse nobody
	window rows.Window
	sortBy int
	sieve  sieve
	upward bool // the other way round
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
	alike  int
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
	l.sortBy, l.upward = (l.sortBy+1)%len(findingOrders), false
	return l.reorder()
}

// turn sorts the other way round.
func (l *accusations) turn() tea.Cmd {
	l.upward = !l.upward
	return l.reorder()
}

// findingFields are what a finding can be asked for.
const findingFields = query.Key | query.Client | query.Endpoint | query.Account | query.Amount | query.Time | query.Class

// filtered shows the findings of which a query holds.
func (l *accusations) filtered(text string) tea.Cmd {
	if !l.sieve.set(text, findingFields) {
		return nil
	}
	return l.reorder()
}

// lift shows for a moment what the filter hides, or hides it again.
func (l *accusations) lift() tea.Cmd {
	l.sieve.lifted = !l.sieve.lifted
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
	found, asked, filter, quiet := l.found, l.asked, l.sieve.now(), l.quiet
	before := findingOrders[l.sortBy].before
	if l.upward {
		down := before
		before = func(a, b *weighed) int { return down(b, a) }
	}
	return func() tea.Msg {
		order, widest := orderFindings(found.Findings, filter, quiet, before)
		alike := 0
		for i := range found.Findings {
			if !found.Findings[i].Accuses() {
				alike++
			}
		}
		return listedMsg{found, asked, order, widest, alike}
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
	l.order, l.widest, l.alike, l.got = msg.order, msg.widest, msg.alike, msg.asked
	l.window.SetLen(len(l.order))
	l.window.To(max(0, slices.Index(l.order, was)))
}

func orderFindings(all []findings.Finding, filter query.Query, quiet bool, before func(a, b *weighed) int) (order []int32, widest int) {
	var list []weighed
	for i := range all {
		f := &all[i]
		if (f.Accuses() || quiet) && (filter.Empty() || filter.Match(findingRowOf(f))) {
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

// findingRowOf is a finding as a query looks at it: all of its requests and
// transfers together. Words look at its class, its confidence and its transfers'
// names, too.
func findingRowOf(f *findings.Finding) *query.Row {
	r := &query.Row{Class: string(f.Class)}
	words := []string{className(f.Class), string(f.Class), f.Confidence.String()}
	var keys, clients, endpoints []string
	for i := range f.Sends {
		s := &f.Sends[i]
		keys, clients, endpoints = append(keys, s.Key), append(clients, s.ClientID), append(endpoints, s.Endpoint)
		words = append(words, s.Ref)
		if !s.At.IsZero() && (r.From.IsZero() || s.At.Before(r.From)) {
			r.From = s.At
		}
		if s.At.After(r.To) {
			r.To = s.At
		}
	}
	for _, t := range f.Transfers() {
		words = append(words, t.ID, t.Src, t.Dst)
		r.Accounts = append(r.Accounts, t.Src, t.Dst)
	}
	stake := stakeOf(f)
	for _, c := range stake.Currencies() {
		r.Sums = append(r.Sums, sumOf(stake.Of(c), c))
	}
	r.Key, r.Client, r.Endpoint, r.Words = strings.Join(keys, "\n"), strings.Join(clients, "\n"), strings.Join(endpoints, "\n"), strings.Join(words, "\n")
	return r
}

// className is a class in words.
func className(c findings.Class) string {
	return strings.ToLower(strings.ReplaceAll(string(c), "_", " "))
}
