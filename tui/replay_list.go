package tui

import (
	"context"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/tui/query"
)

// entry is a step with what the list shows of its request.
type entry struct {
	replay.Step
	client, endpoint, key string
	accounts              []string // filled where a query asks for them
	class                 string   // so are the classes of its findings
}

// stepFields are what a step can be asked for.
const stepFields = query.Key | query.Client | query.Endpoint | query.Outcome | query.Account | query.Amount | query.Time | query.Code | query.Class

func (e *entry) take(r *analysis.Request, accounts bool) {
	e.client, e.endpoint, e.key = r.ClientID, r.Endpoint, r.Key
	if !accounts {
		return
	}
	if order, refused, err := engine.ParseOrder(r.Body); err == nil && refused == nil {
		e.accounts = []string{order.Src.Text, order.Dst.Text}
	}
}

// row is a step as a query looks at it: its sums are what the engine moved and
// what the unprotected service did.
func (e *entry) row() *query.Row {
	r := query.Row{Key: e.key, Client: e.client, Endpoint: e.endpoint, Outcome: e.Class.String(), Accounts: e.accounts, Class: e.class, From: e.At, To: e.At}
	if e.Status != 0 {
		r.Code = strconv.Itoa(e.Status)
	}
	if e.Moved != 0 {
		r.Sums = append(r.Sums, sumOf(e.Moved, e.Currency))
	}
	if e.V1Count != 0 {
		r.Sums = append(r.Sums, sumOf(e.V1Moved, e.V1Currency))
	}
	return &r
}

const (
	// lookRows is how many steps are looked at at once.
	lookRows = 1024
	// filterTime is how long a page looks back for steps that the filter lets through.
	filterTime = 60 * time.Millisecond
)

// list fills a page's list: the last steps up to its position that the filter
// lets through, and since where it looked.
func (s *seeker) list(ctx context.Context, g *page) error {
	end := time.Now().Add(filterTime)
	for g.since = g.pos + 1; g.since > 1 && len(g.steps) < pageRows; {
		to, span := g.since-1, int64(pageRows)
		if to < g.pos {
			span = lookRows
		}
		g.since = max(1, g.since-span)
		part, next, err := s.entries(ctx, g.since, to, g.pos)
		if err != nil {
			return err
		}
		if to == g.pos && len(part) > 0 {
			g.at, g.next = part[len(part)-1], next
		}
		if part, err = s.sifted(ctx, part); err != nil {
			return err
		}
		g.steps = slices.Concat(part, g.steps)
		if s.filter.Empty() || !time.Now().Before(end) {
			break
		}
	}
	if cut := len(g.steps) - pageRows; cut > 0 {
		g.steps = g.steps[cut:]
		g.since = g.steps[0].N
	}
	return nil
}

// sifted are the entries that the filter lets through, by what has become of
// them since: a step that still runs at the page's position, and is created
// later, is a created one.
func (s *seeker) sifted(ctx context.Context, list []entry) ([]entry, error) {
	if s.filter.Empty() || len(list) == 0 {
		return list, nil
	}
	known, err := s.player.Steps(ctx, list[0].N, s.player.Frontier(), len(list))
	if err != nil {
		return nil, err
	}
	kept := make([]entry, 0, len(list))
	for i := range list[:min(len(list), len(known))] {
		e := list[i]
		e.Step = known[i]
		if s.filter.Match(e.row()) {
			kept = append(kept, list[i])
		}
	}
	return kept, nil
}

// entries are the steps from..to as seen from at, with their requests. next is
// when the request behind them was received.
func (s *seeker) entries(ctx context.Context, from, to, at int64) (list []entry, next time.Time, err error) {
	steps, err := s.player.Steps(ctx, from, at, int(to-from+1))
	if err != nil || len(steps) == 0 {
		return nil, next, err
	}
	list = make([]entry, len(steps))
	accounts := s.uses(query.Account)
	i := 0
	for r, err := range s.session.Day().Requests(ctx, from) {
		if err != nil {
			return nil, next, err
		}
		if i == len(list) {
			next = r.ReceivedAt
			break
		}
		list[i].Step = steps[i]
		list[i].take(&r, accounts)
		list[i].class = s.classes[r.Seq]
		i++
	}
	return list[:i], next, nil
}

// uses reports whether anything that steps are looked at for asks for the field.
func (s *seeker) uses(f query.Field) bool {
	return s.filter.Uses(f) || s.wants().Uses(f) ||
		slices.ContainsFunc(s.stops, func(b breakpoint) bool { return b.query.Uses(f) })
}

func (s *seeker) wants() query.Query {
	if s.goal.find == nil {
		return query.Query{}
	}
	return s.goal.find.wants
}

func (r *replayScreen) askFilter() {
	before := r.sieve.text()
	r.ask(asking{
		label: "filter steps",
		about: stepFields,
		typed: r.filtered,
		enter: r.filtered,
		leave: func() tea.Cmd { return r.filtered(before) },
	})
}

// filtered shows the steps of which a query holds.
func (r *replayScreen) filtered(text string) tea.Cmd {
	if !r.sieve.set(text, stepFields) {
		return nil
	}
	return r.reread()
}

// lift shows for a moment what the filter hides, or hides it again.
func (r *replayScreen) lift() tea.Cmd {
	r.sieve.lifted = !r.sieve.lifted
	return r.reread()
}

// reread brings the page of the position anew.
func (r *replayScreen) reread() tea.Cmd {
	r.stale = true
	r.halt() // what an older filter still looks for
	return r.seek()
}

func (r *replayScreen) stopOrEndFilter() tea.Cmd {
	if r.stop() {
		return nil
	}
	return r.filtered("")
}

// stepShown goes on by so many steps that the filter lets through. Keys typed
// ahead all count.
func (r *replayScreen) stepShown(d int64) tea.Cmd {
	s := search{dir: replay.Forward, wants: r.sieve.now(), left: d, name: "step that the filter lets through"}
	if d < 0 {
		s.dir, s.left = replay.Backward, -d
	}
	ahead := r.want.find
	if ahead == nil || ahead.wants.Empty() || ahead.dir != s.dir {
		return r.find(s)
	}
	s.from, s.left, s.last = ahead.from, s.left+ahead.left, ahead.last
	r.want = goal{pos: r.page.pos, find: &s}
	return r.seek()
}

// filterLine says what the filter hides of the steps up to the position.
func (r *replayScreen) filterLine(w int) string {
	if r.sieve.text() == "" {
		return ""
	}
	all := r.page.pos - r.page.since + 1
	if r.page.pos == 0 {
		all = 0
	}
	hidden := number(max(0, all-int64(len(r.page.steps)))) + " of "
	if r.page.since > 1 {
		hidden += "the last "
	}
	return r.sieve.line(&r.theme, hidden+many(all, "step", "steps")+" hidden", w)
}

func (r *replayScreen) emptyText() string {
	if r.page.pos > 0 && r.sieve.text() != "" {
		return "no step up to here answers to the filter · n goes to the next one"
	}
	if total, known := r.total(); known && total == 0 {
		if r.files.state == idle {
			return r.noRequests() + " · G writes the day's files"
		}
		return r.noRequests()
	}
	return "n sends the first request, space plays the day, G runs it to its end"
}
