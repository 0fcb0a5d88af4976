package tui

import tea "charm.land/bubbletea/v2"

// screen is one of the workbench's rooms. What it shows is drawn into exactly
// the cells it is given.
type screen interface {
	// update takes in what commands found; keys come through bindings instead.
	update(msg tea.Msg) tea.Cmd
	// shown is told when the screen comes to the front or its size changes.
	shown() tea.Cmd
	// keys is what the screen answers to now.
	keys() section
	view(w, h int) []string
	// back closes what is open on the screen; false when nothing is.
	back() (tea.Cmd, bool)
	// wheel turns by d lines; click is at a cell of the last view.
	wheel(d int) tea.Cmd
	click(x, y int) tea.Cmd
}

// room is a screen as the header and the keys 1..9 know it.
type room struct {
	title  string
	short  string // where names stand close together; "" is the title
	make   func(*desk) screen
	always bool // it has something to show while no incident is open, too
}

// rooms are all screens, in the order of their keys.
var rooms = []room{
	{title: "Incident", make: func(d *desk) screen { return newIncidentScreen(d) }},
	{title: "Replay", make: func(d *desk) screen { return newReplayScreen(d) }},
	{title: "Policy", make: func(d *desk) screen { return newPolicyScreen(d) }, always: true},
	{title: "Report", make: func(d *desk) screen { return newReportScreen(d) }},
	{title: "Findings", short: "Find", make: func(d *desk) screen { return newFindingsScreen(d) }},
	{title: "What if", make: func(d *desk) screen { return newWhatifScreen(d) }},
	{title: "Classroom", short: "Class", make: func(d *desk) screen { return newClassroomScreen(d) }},
	{title: "Import", make: func(d *desk) screen { return newImportScreen(d) }, always: true},
	{title: "Compare", short: "Diff", make: func(d *desk) screen { return newCompareScreen(d) }},
}

// The screens that others open by name.
const (
	incidentRoom = iota
	replayRoom
	policyRoom
	reportRoom
	findingsRoom
	whatifRoom
	classroomRoom
	importRoom
	compareRoom
)

// pane keeps the lines of a part of the screen until what it shows changes.
type pane struct {
	version, w, h int
	lines         []string
}

// draw returns the kept lines, or makes them anew.
func (p *pane) draw(version, w, h int, make func() []string) []string {
	if p.lines == nil || p.version != version || p.w != w || p.h != h {
		*p = pane{version, w, h, make()}
	}
	return p.lines
}
