package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/engine"
	"idem/tui/cells"
	"idem/tui/query"
)

// Narrowing is opening the incident anew, as the part of it that was asked for:
// whatever a screen shows is then of that part.

const narrowLabel = "narrow to"

// narrowKeys are those of every screen.
func (d *desk) narrowKeys() []binding {
	closed := unless(d.session != nil && !d.opening, "no incident is open")
	// A part that could not be opened is left by this, too.
	whole := unless(!d.cfg.Narrow.IsZero(), "all of the incident is here")
	return []binding{
		{keys: []string{"z"}, name: "z", help: "narrow the incident: client: endpoint: acct: 09:00..10:00", why: closed, do: act(d.askNarrowing)},
		{keys: []string{"Z"}, name: "Z", help: "all of the incident again", why: whole, do: func() tea.Cmd { return d.narrow(analysis.Filter{}) }},
	}
}

func (d *desk) askNarrowing() {
	d.drafts[narrowLabel] = exactOf(d.cfg.Narrow).Text()
	day := d.day()
	d.ask(asking{
		label: narrowLabel,
		check: func(text string) error { _, err := query.ParseExact(text, day); return err },
		enter: func(text string) tea.Cmd {
			x, err := query.ParseExact(text, day)
			if err != nil {
				return nil
			}
			return d.narrow(analysis.Filter{From: x.From, To: x.To, Client: x.Client, Endpoint: x.Endpoint, Account: x.Account})
		},
	})
}

// day is the date that a time without one is of: the incident's first.
func (d *desk) day() time.Time {
	if d.found == nil {
		return time.Time{}
	}
	return d.found.First
}

// narrow opens the part in place of what is open.
func (d *desk) narrow(x analysis.Filter) tea.Cmd {
	if d.opening || x == d.cfg.Narrow {
		return nil
	}
	cfg := d.cfg
	cfg.Narrow = x
	return d.openAs(cfg)
}

func exactOf(x analysis.Filter) query.Exact {
	return query.Exact{Client: x.Client, Endpoint: x.Endpoint, Account: x.Account, From: x.From, To: x.To}
}

// noRequests is what there is to say where there is no request.
func (d *desk) noRequests() string {
	if !d.cfg.Narrow.IsZero() {
		return "no request is in this part of the day"
	}
	return emptyLog
}

// narrowFlags are those of the command line.
func narrowFlags(x analysis.Filter) []string {
	var list []string
	for _, f := range []struct {
		name string
		at   time.Time
	}{{"--from=", x.From}, {"--to=", x.To}} {
		if !f.at.IsZero() {
			list = append(list, f.name+engine.FormatInstant(f.at))
		}
	}
	for _, f := range []struct{ name, value string }{{"--client=", x.Client}, {"--endpoint=", x.Endpoint}, {"--account=", x.Account}} {
		if f.value != "" {
			list = append(list, f.name+shellWord(f.value))
		}
	}
	return list
}

// narrowedLine says on every screen what it shows no row of; "" where it shows
// all of them.
func (d *desk) narrowedLine(w int) string {
	switch {
	case d.session == nil:
		return ""
	case d.opening && d.session.Narrowing().Filter != d.cfg.Narrow:
		return d.theme.notice.Render(cells.Cut(" narrowing…", w))
	}
	n := d.session.Narrowing()
	if n.IsZero() {
		return ""
	}
	line := " " + number(n.HiddenRequests) + " of " + many(n.Requests+n.HiddenRequests, "request", "requests") + " hidden: narrowed to "
	line += visible(exactOf(n.Filter).Text())
	if keys := " · z changes it, Z lifts it"; cells.Width(line+keys) <= w {
		line += keys
	}
	return d.theme.notice.Render(cells.Cut(line, w))
}
