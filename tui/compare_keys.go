package tui

import (
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/compare"
	"idem/analysis/replay"
	"idem/engine"
)

func (s *compareScreen) keys() section {
	none := unless(s.window.Len() > 0, "no request is listed")
	return section{"Compare", append(append(moveKeys(&s.window, none, s.read), s.differenceKeys()...), s.sideKeys()...)}
}

func (s *compareScreen) whyNoTable() string { return unless(s.table != nil, "not compared yet") }

func (s *compareScreen) whyNoRow() string { return unless(s.row() != nil, "no request is selected") }

func (s *compareScreen) differenceKeys() []binding {
	none := s.whyNoTable()
	if none == "" && s.table.Count(s.least) == 0 {
		none = "the two sides do not differ"
	}
	only := map[bool]string{false: "show only requests that differ", true: "show all requests again"}[s.only]
	counts := map[compare.Difference]string{compare.Answer: "count only other money as a difference", compare.Money: "count other answers as a difference, too"}[s.least]
	return []binding{
		{keys: []string{"n"}, name: "n", help: "next difference", hint: "next", why: none, do: func() tea.Cmd { return s.jump(s.position(), replay.Forward) }},
		{keys: []string{"N"}, name: "N", help: "previous difference", hint: "previous", why: none, do: func() tea.Cmd { return s.jump(s.position(), replay.Backward) }},
		{keys: []string{"d"}, name: "d", help: "first difference", hint: "first", why: none, do: func() tea.Cmd { return s.jump(0, replay.Forward) }},
		{keys: []string{"o"}, name: "o", help: only, hint: "only", why: unless(s.only, none), do: func() tea.Cmd { return s.relist(func() { s.only = !s.only }) }},
		{keys: []string{"a"}, name: "a", help: counts, why: s.whyNoTable(), do: func() tea.Cmd { return s.relist(s.turnLeast) }},
		{keys: []string{":"}, name: ":", help: "go to a request by its number", hint: "go to", why: s.whyNoTable(), do: act(s.askRow)},
		{keys: []string{"v"}, name: "v", help: "see the request in the replay", hint: "replay", why: s.whyNoRow(), do: s.toReplay},
	}
}

func (s *compareScreen) sideKeys() []binding {
	closed := unless(s.session != nil, "no incident is open")
	sides := map[bool]string{false: "compare two policies instead", true: "compare with what was recorded instead"}[s.policies]
	return []binding{
		{keys: []string{"tab"}, name: "tab", help: sides, hint: "sides", why: closed, do: s.turnSides},
		{keys: []string{"l", "right"}, name: "l →", help: "beside the next published policy", hint: "policy", why: closed, do: func() tea.Cmd { return s.nextPolicy(1) }},
		{keys: []string{"h", "left"}, name: "h ←", help: "beside the previous published policy", why: closed, do: func() tea.Cmd { return s.nextPolicy(-1) }},
		{keys: []string{"e"}, name: "e", help: "beside this policy with some knobs changed", hint: "knobs", why: closed, do: act(s.askPolicy)},
		{keys: []string{"space"}, name: "space", help: "compare what was given up", why: s.whyNoCompute(closed), do: s.compute},
		s.cellKey(s.whyNoRow(), s.cells),
		{keys: []string{"Y"}, name: "Y", help: "copy the row as JSON", why: s.whyNoRow(), do: func() tea.Cmd { return s.copyText("row", pairJSON(s.row(), s.table.Sides)) }},
		{keys: []string{"c"}, name: "c", help: "copy the command line that gives these sums", why: closed, do: func() tea.Cmd { return s.copyText("command", s.commandLine()) }},
	}
}

func (s *compareScreen) whyNoCompute(closed string) string {
	switch {
	case closed != "":
		return closed
	case s.work.busy:
		return "that is being done"
	case s.current():
		return "everything is compared"
	}
	return ""
}

func (s *compareScreen) turnLeast() {
	s.least = compare.Answer + compare.Money - s.least
}

func (s *compareScreen) askRow() {
	s.ask(asking{label: "go to request", once: true, enter: func(text string) tea.Cmd {
		n, ok := wholeNumber(text)
		if !ok {
			s.tell("a request's number is wanted: 1 to " + number(s.table.Total))
			return nil
		}
		return s.goTo(n)
	}})
}

// commandLine gives the sums of the two sides. A policy that is not the default
// is read from the evidence, which has it.
func (s *compareScreen) commandLine() string {
	if !s.policies {
		return s.command("replay")
	}
	words := []string{"idem whatif", quoted(s.cfg.File)}
	if s.cfg.Policy.Hash() != engine.DefaultPolicy().Hash() {
		words = append(words, "--policy", quoted(filepath.Join(s.cfg.OutDir, "policy.json")))
	}
	var set []string
	for _, k := range engine.Knobs() {
		if value := k.Get(s.other.Policy); value != k.Get(engine.DefaultPolicy()) {
			set = append(set, k.Name+"="+value)
		}
	}
	if len(set) > 0 {
		words = append(words, "--set", quoted(strings.Join(set, ",")))
	}
	return strings.Join(words, " ")
}

func (s *compareScreen) cells() []cell {
	r := s.row()
	return []cell{
		{"key", r.key}, {"client", r.client}, {"endpoint", r.endpoint}, {"time", stamp(r.at)},
		{"left side", sideText(s.table.Sides[0], r.Cells[0])}, {"right side", sideText(s.table.Sides[1], r.Cells[1])}, {"difference", differenceText(&r.Pair)},
	}
}

// pairJSON is a row of the compare screen. Amounts are minor units.
func pairJSON(r *compareRow, sides [2]compare.Side) string {
	type side struct {
		Name     string `json:"side"`
		Outcome  string `json:"outcome,omitempty"`
		Status   int    `json:"status,omitempty"`
		Reason   string `json:"reason,omitempty"`
		Moved    int64  `json:"moved"`
		Currency string `json:"currency,omitempty"`
	}
	var cells [2]side
	for i, c := range r.Cells {
		cells[i] = side{Name: sides[i].Name, Status: c.Status, Reason: c.Reason, Moved: c.Moved, Currency: c.Currency}
		if !sides[i].Recorded {
			cells[i].Outcome = c.Class.String()
		}
	}
	return inJSON(struct {
		N        int64     `json:"n"`
		At       time.Time `json:"at"`
		Client   string    `json:"client_id"`
		Endpoint string    `json:"endpoint"`
		Key      string    `json:"idem_key"`
		Differs  string    `json:"difference"`
		Left     side      `json:"left"`
		Right    side      `json:"right"`
	}{r.N, r.at.UTC(), r.client, r.endpoint, r.key, r.Differs.String(), cells[0], cells[1]})
}
