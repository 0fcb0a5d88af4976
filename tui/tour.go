package tui

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/engine"
	"idem/report"
	"idem/tui/cells"
)

// tour guides through the workbench. It presses keys, one at a time and only
// when nothing moves, and so does nothing that a person could not do; what is on
// the screen is the workbench itself. It waits for the person at each stop.
type tour struct {
	at      int
	left    []string // keys to be pressed before the stop is reached
	driving bool     // it is the tour that presses a key
	strayed bool     // the person pressed keys of the workbench since
}

func newTour() *tour {
	t := new(tour)
	t.visit(0)
	return t
}

// visit begins the way to a stop.
func (t *tour) visit(i int) {
	t.at, t.strayed = i, false
	t.left = strings.Fields(tourStops[i].keys)
}

// guide presses the keys that lead to the stop, until something has to come
// first that they set in motion.
func (m *model) guide() tea.Cmd {
	t := m.tour
	if t == nil || m.tooSmall() {
		return nil
	}
	var cmds []tea.Cmd
	for len(t.left) > 0 && m.calm() {
		key := t.left[0]
		t.left = t.left[1:]
		t.driving = true
		cmds = append(cmds, m.keyPress(keyNamed(key)))
		t.driving = false
	}
	return tea.Batch(cmds...)
}

// keyNamed is a key as the terminal sends it.
func keyNamed(name string) tea.KeyPressMsg {
	switch name {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// calm reports whether everything that was asked for is on the screen.
func (m *model) calm() bool {
	r := m.screens[replayRoom].(*replayScreen)
	s := m.screens[incidentRoom].(*incidentScreen)
	p := m.screens[reportRoom].(*reportScreen)
	moves := r.busy || r.playing || r.running() || r.want.pos != r.page.pos || r.asked
	looks := m.found == nil || s.list.sorting() || s.story.asked || p.asked
	return m.player != nil && m.asking == nil && !moves && !looks && m.files.state != busy
}

// keys are the tour's own. They come before those of the screen.
func (t *tour) keys(m *model) section {
	return section{title: "Tour", bindings: []binding{
		{keys: []string{"space", "enter"}, name: "space enter", help: "next stop of the tour", hint: "next", why: unless(t.at < len(tourStops)-1 || t.strayed, "this is the last stop; q ends the tour"), do: act(t.next)},
		{keys: []string{"backspace"}, name: "backspace", help: "stop before, or back to this one after keys of your own", hint: "before", why: unless(t.at > 0 || t.strayed, "this is the first stop"), do: act(t.before)},
		{keys: []string{"q"}, name: "q", help: "end the tour, and stay in the workbench", hint: "end the tour", do: act(m.endTour)},
	}}
}

func (t *tour) next() {
	if t.at == len(tourStops)-1 {
		t.visit(t.at)
		return
	}
	t.visit(t.at + 1)
}

func (t *tour) before() {
	if t.strayed {
		t.visit(t.at)
		return
	}
	t.visit(t.at - 1)
}

func (m *model) endTour() {
	m.tour = nil
	m.tell("the tour is over and the workbench is yours; ? lists the keys, q quits")
}

// stray takes note of a key that leads away from the stop: one of the open
// screen, or of another screen.
func (m *model) stray(key string) {
	if !m.tour.leads() || m.over != nil {
		return
	}
	_, tours := find([]section{m.tour.keys(m)}, key)
	_, screens := find([]section{m.screens[m.open].keys()}, key)
	if !tours && (screens || isRoom(key)) {
		m.tour.strayed, m.tour.left = true, nil
	}
}

func isRoom(key string) bool {
	n, err := strconv.Atoi(key)
	return err == nil && n >= 1 && n <= len(rooms)
}

// leads reports whether the tour's keys come first now.
func (t *tour) leads() bool { return t != nil && !t.driving }

// tourLines is the panel of the tour, in at most h lines.
func (m *model) tourLines(w, h int) []string {
	t := m.tour
	if t == nil || h < 2 {
		return nil
	}
	text := "one moment…"
	switch s := tourStops[t.at]; {
	case t.strayed:
		text = "You went a way of your own. space goes on to the next stop, backspace comes back to this one."
	case len(t.left) == 0 && m.calm():
		text = m.filled(s.text)
	}
	lines := []string{m.tourRule(w)}
	for _, l := range cells.Wrap(text, w-2) {
		lines = append(lines, " "+l)
	}
	return cells.Block(lines[:min(len(lines), h)], w, min(len(lines), h))
}

// tourRule says where the tour is, and which keys are its own where there is
// room for that.
func (m *model) tourRule(w int) string {
	t := m.tour
	left := m.theme.edge.Render("── ") + m.theme.title.Render(number(int64(t.at+1))+"/"+number(int64(len(tourStops)))+" "+tourStops[t.at].title) + " "
	right := " " + m.theme.dim.Render("space next · backspace before · q end") + " "
	fill := w - cells.Width(left) - cells.Width(right)
	if fill < 2 {
		fill, right = max(0, w-cells.Width(left)), ""
	}
	return left + m.theme.edge.Render(strings.Repeat("─", fill)) + right
}

// filled puts figures into a text.
func (m *model) filled(text string) string {
	total, _ := m.total()
	f := figures{total: total, policy: m.cfg.Policy, dir: m.cfg.OutDir, found: m.found, result: m.result}
	f.group = m.screens[incidentRoom].(*incidentScreen).list.selected()
	f.step = m.screens[replayRoom].(*replayScreen).current()
	return f.fill(text)
}

// figures are what the tour's texts can say of the incident and the step. What
// is not known yet is nil.
type figures struct {
	total  int64
	policy engine.Policy
	dir    string
	found  *analysis.Duplicates
	group  *analysis.Group
	step   *replay.Step
	result *replay.Result
	spoken bool // amounts are for ears
}

func (f *figures) sums(m analysis.Money) string {
	if f.spoken {
		return report.PlainMoney(m)
	}
	return sums(m)
}

func (f *figures) money(amount int64, currency string) string {
	if f.spoken {
		return inWords(amount, currency)
	}
	return money(amount, currency)
}

func (f *figures) fill(text string) string {
	pairs := []string{
		"{requests}", number(f.total), "{retention}", lasting(f.policy.Retention), "{lease}", lasting(f.policy.Lease),
		"{dir}", show(filepath.Base(f.dir), 40),
	}
	if d := f.found; d != nil {
		pairs = append(pairs, "{extra}", number(d.ExtraTransfers), "{paid}", f.sums(d.DoublePaid), "{groups}", number(int64(len(d.Groups))))
	}
	if g := f.group; g != nil {
		pairs = append(pairs, "{sent}", number(g.Requests))
	}
	if s := f.step; s != nil {
		pairs = append(pairs, "{n}", number(s.N), "{holder}", number(s.Holder), "{v1}", f.money(s.V1Moved, s.V1Currency))
	}
	if c := f.result; c != nil {
		pairs = append(pairs, "{v1_total}", f.sums(c.V1Total), "{transferred}", f.sums(c.Transferred), "{stopped}", f.sums(c.Stopped))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// lasting is a length of time, in whole hours where it has no others.
func lasting(d time.Duration) string {
	if d >= time.Hour && d%time.Hour == 0 {
		return many(int64(d/time.Hour), "hour", "hours")
	}
	return d.String()
}
