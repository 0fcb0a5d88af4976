package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/query"
	"idem/tui/rows"
)

// duplicates is the list of keys with extra transfers, sorted and filtered. The
// groups themselves are never moved: order says which are shown and in which
// sequence, and commands make a new order.
type duplicates struct {
	found  *analysis.Duplicates
	order  []int32
	widest widths
	window rows.Window
	sortBy int
	upward bool
	sieve  sieve
	asked  int // number of the newest order asked for
	got    int // and of the one that is shown
}

// sorting is one way to sort the list: by a figure or by a text.
type sorting struct {
	name   string
	upward bool // the direction it starts with
	figure func(*analysis.Group) int64
	text   func(*analysis.Group) string
}

var sortings = []sorting{
	{name: "extra paid", figure: paid},
	{name: "transfers", figure: func(g *analysis.Group) int64 { return g.Transfers }},
	{name: "first time", upward: true, figure: func(g *analysis.Group) int64 { return g.FirstAt.UnixNano() }},
	{name: "gap", figure: func(g *analysis.Group) int64 { return int64(g.LastAt.Sub(g.FirstAt)) }},
	{name: "client", upward: true, text: func(g *analysis.Group) string { return g.ClientID }},
	{name: "endpoint", upward: true, text: func(g *analysis.Group) string { return g.Endpoint }},
	{name: "key", upward: true, text: func(g *analysis.Group) string { return g.Key }},
}

type orderedMsg struct {
	of     *analysis.Duplicates
	asked  int
	order  []int32
	widest widths
}

// widths are how many cells the longest texts of a list take, at most.
type widths struct{ paid, key, client int }

func newDuplicates() duplicates { return duplicates{} }

// paid is what a group is sorted by: its greatest extra sum in one currency.
// Sums of different currencies are compared by figure only.
func paid(g *analysis.Group) int64 {
	var most int64
	for _, c := range g.Paid.Currencies() {
		most = max(most, g.Paid.Of(c))
	}
	return most
}

// selected is the group under the cursor; nil when there is none.
func (l *duplicates) selected() *analysis.Group {
	if i := l.window.Cursor(); l.found != nil && i < len(l.order) {
		return &l.found.Groups[l.order[i]]
	}
	return nil
}

// arrange makes the order of groups that have just been found.
func (l *duplicates) arrange(found *analysis.Duplicates) tea.Cmd {
	l.found = found
	return l.reorder()
}

// next sorts by the next column; turn sorts the other way round.
func (l *duplicates) next() tea.Cmd {
	l.sortBy = (l.sortBy + 1) % len(sortings)
	l.upward = sortings[l.sortBy].upward
	return l.reorder()
}

func (l *duplicates) turn() tea.Cmd {
	l.upward = !l.upward
	return l.reorder()
}

// groupFields are what a group can be asked for.
const groupFields = query.Key | query.Client | query.Endpoint | query.Amount | query.Time

// filtered shows the groups of which a query holds.
func (l *duplicates) filtered(text string) tea.Cmd {
	if !l.sieve.set(text, groupFields) {
		return nil
	}
	return l.reorder()
}

// lift shows for a moment what the filter hides, or hides it again.
func (l *duplicates) lift() tea.Cmd {
	l.sieve.lifted = !l.sieve.lifted
	return l.reorder()
}

func (l *duplicates) sorting() bool { return l.asked != l.got }

func (l *duplicates) reorder() tea.Cmd {
	if l.found == nil {
		return nil
	}
	l.asked++
	found, asked, filter, by, upward := l.found, l.asked, l.sieve.now(), sortings[l.sortBy], l.upward
	return func() tea.Msg {
		list := order(found.Groups, filter, by, upward)
		return orderedMsg{found, asked, list, widestOf(found.Groups, list)}
	}
}

// took takes an order in unless a newer one is on its way, and keeps the cursor
// on the group it was on.
func (l *duplicates) took(msg orderedMsg) bool {
	if msg.of != l.found || msg.asked != l.asked {
		return false
	}
	was := int32(-1)
	if i := l.window.Cursor(); i < len(l.order) && l.got > 0 {
		was = l.order[i]
	}
	l.order, l.widest, l.got = msg.order, msg.widest, msg.asked
	l.window.SetLen(len(l.order))
	l.window.To(max(0, slices.Index(l.order, was)))
	return true
}

// longestKey and longestClient are the cells that these may take in a list.
const longestKey, longestClient = 36, 14

// widestOf is how wide the columns of a list are worth being.
func widestOf(groups []analysis.Group, list []int32) (c widths) {
	for _, i := range list {
		g := &groups[i]
		c.paid = max(c.paid, column.Widest(sums(g.Paid)))
		c.key = max(c.key, cells.Width(show(g.Key, longestKey)))
		c.client = max(c.client, cells.Width(show(g.ClientID, longestClient)))
	}
	return c
}

// order is a pure function of its arguments: equal groups stay as they were.
func order(groups []analysis.Group, filter query.Query, by sorting, upward bool) []int32 {
	list := make([]int32, 0, len(groups))
	for i := range groups {
		if filter.Empty() || filter.Match(groupRow(&groups[i])) {
			list = append(list, int32(i))
		}
	}
	compare := by.comparer(groups)
	slices.SortStableFunc(list, func(a, b int32) int {
		if !upward {
			a, b = b, a
		}
		return compare(a, b)
	})
	return list
}

// comparer compares groups by their numbers. Figures are taken once a group and
// not once a comparison.
func (by sorting) comparer(groups []analysis.Group) func(a, b int32) int {
	if by.text != nil {
		return func(a, b int32) int { return strings.Compare(by.text(&groups[a]), by.text(&groups[b])) }
	}
	figures := make([]int64, len(groups))
	for i := range groups {
		figures[i] = by.figure(&groups[i])
	}
	return func(a, b int32) int { return cmp.Compare(figures[a], figures[b]) }
}

// groupRow is a group as a query looks at it: its extra sums, from its first
// transfer to its last.
func groupRow(g *analysis.Group) *query.Row {
	r := query.Row{Key: g.Key, Client: g.ClientID, Endpoint: g.Endpoint, From: g.FirstAt, To: g.LastAt}
	for _, c := range g.Paid.Currencies() {
		r.Sums = append(r.Sums, sumOf(g.Paid.Of(c), c))
	}
	return &r
}
