package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/compare"
	"idem/analysis/replay"
)

// read brings the rows around the cursor, unless they are there or on their way.
// What may be on the screen is a screen's height away from it at most; a page has
// twice as much, so that scrolling does not wait.
func (s *compareScreen) read() tea.Cmd {
	at, span := s.window.Cursor(), max(1, s.height)
	from, to := max(0, at-span), min(s.window.Len(), at+span)
	if s.table == nil || s.busy || from >= to || s.covers(from, to) {
		return nil
	}
	want := comparePage{of: s.table, only: s.only, least: s.least, from: max(0, from-span)}
	limit := min(s.window.Len(), to+span) - want.from
	day, ctx := s.session.Day(), s.ctx
	s.busy = true
	return func() tea.Msg {
		err := want.fill(ctx, day, limit)
		return comparePageMsg{want, err}
	}
}

// covers reports whether the page has the rows from..to of the list.
func (s *compareScreen) covers(from, to int) bool {
	p := &s.page
	return p.of == s.table && p.only == s.only && p.least == s.least && p.from <= from && to <= p.from+len(p.rows)
}

// turn shows a page, unless it is of a list that is gone, and reads on where one
// has moved meanwhile. A page that is not whole is not asked for again.
func (s *compareScreen) turn(msg comparePageMsg) tea.Cmd {
	s.busy = false
	p := msg.page
	switch {
	case p.of != s.table || p.only != s.only || p.least != s.least:
	case msg.err != nil:
		if !errors.Is(msg.err, context.Canceled) {
			s.err = msg.err
		}
		return nil
	default:
		s.page = p
		if len(p.rows) == 0 {
			return nil
		}
	}
	return s.read()
}

// nearBy is up to how many requests are read over rather than looked up.
const nearBy = 256

// fill reads a page's rows: the two sides of the table, and what the log has.
func (p *comparePage) fill(ctx context.Context, day replay.Source, limit int) error {
	pairs, err := p.pairs(limit)
	if err != nil {
		return err
	}
	for len(pairs) > 0 {
		n, err := p.describe(ctx, day, pairs)
		if err != nil {
			return err
		}
		if n == 0 {
			return nil // the log has fewer rows than it had
		}
		pairs = pairs[n:]
	}
	return nil
}

func (p *comparePage) pairs(limit int) (list []compare.Pair, err error) {
	if !p.only {
		return p.of.Pairs(int64(p.from)+1, limit)
	}
	for i := range limit {
		n := p.of.Nth(int64(p.from+i)+1, p.least)
		if n == 0 {
			break
		}
		one, err := p.of.Pairs(n, 1)
		if err != nil {
			return nil, err
		}
		list = append(list, one...)
	}
	return list, nil
}

// describe reads the log from the first of the pairs on, for as many of them as
// lie near by, and returns how many these are.
func (p *comparePage) describe(ctx context.Context, day replay.Source, pairs []compare.Pair) (done int, err error) {
	for r, err := range day.Requests(ctx, pairs[0].N) {
		if err != nil {
			return done, err
		}
		if done == len(pairs) || pairs[done].N > r.N+nearBy {
			break
		}
		if r.N == pairs[done].N {
			p.rows = append(p.rows, compareRow{Pair: pairs[done], at: r.ReceivedAt, client: r.ClientID, endpoint: r.Endpoint, key: r.Key})
			done++
		}
	}
	return done, nil
}
