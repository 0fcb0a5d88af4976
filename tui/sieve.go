package tui

import (
	"idem/report"
	"idem/tui/cells"
	"idem/tui/query"
)

// sieve is a list's filter. It can be lifted for a moment without being lost.
type sieve struct {
	query  query.Query
	lifted bool
}

// set takes a query over; false when it is the one there is, or none at all.
func (s *sieve) set(text string, known query.Field) bool {
	q, err := query.Parse(text, known)
	if err != nil || (q.Text() == s.query.Text() && !s.lifted) {
		return false
	}
	*s = sieve{query: q}
	return true
}

// text is the query as it was typed; "" when it hides nothing.
func (s *sieve) text() string {
	if s.query.Empty() {
		return ""
	}
	return s.query.Text()
}

// now is what rows must answer to at this moment.
func (s *sieve) now() query.Query {
	if s.lifted {
		return query.Query{}
	}
	return s.query
}

func (s *sieve) whyNoLift() string { return unless(s.text() != "", "there is no filter") }

// line says which filter is on and what it hides.
func (s *sieve) line(t *theme, hidden string, w int) string {
	lead, rest := " filter ", " · "+hidden+" · f lifts it, esc ends it"
	if s.lifted {
		lead, rest = " filter lifted for a moment: ", " · f lets it down"
	}
	// The query gives way to what is hidden, down to some cells.
	room := max(20, w-cells.Width(lead+rest))
	return t.notice.Render(cells.Cut(lead+show(s.text(), room)+rest, w))
}

// sumOf is an amount as a query compares it.
func sumOf(minor int64, currency string) query.Sum {
	decimals, _ := report.Exponent(currency)
	return query.Sum{Minor: minor, Decimals: decimals}
}
