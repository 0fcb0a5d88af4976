package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/notes"
)

// Columns are chosen by their titles and remembered for each list, in the state
// folder: it is a habit of the person, and no part of the evidence.

// columnsFile is where the choice is kept in the state folder.
const columnsFile = "columns.json"

// tabled is a screen with a list whose columns can be chosen.
type tabled interface {
	// listed names the list, and its columns that can be chosen away.
	listed() (list string, titles []string)
}

// chosenAway are the titles of columns that are not shown, by list.
type chosenAway map[string][]string

type columnsMsg struct {
	away chosenAway
	err  error
}

// loadColumns looks up what was chosen before.
func (d *desk) loadColumns() tea.Cmd {
	if d.cfg.StateDir == "" {
		return nil
	}
	name := filepath.Join(d.cfg.StateDir, columnsFile)
	return func() tea.Msg {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		var away chosenAway
		if err == nil {
			err = json.Unmarshal(text, &away)
		}
		return columnsMsg{away, err}
	}
}

// tookColumns takes the choice over; one made meanwhile counts more.
func (d *desk) tookColumns(msg columnsMsg) {
	if msg.err != nil {
		d.tell("the choice of columns cannot be read: " + oneLine(msg.err))
		return
	}
	for list, titles := range msg.away {
		if _, made := d.away[list]; !made {
			d.away[list] = titles
		}
	}
}

// showColumn shows a column of a list, or no longer does, and remembers that.
func (d *desk) showColumn(list, title string) tea.Cmd {
	away := slices.Clone(d.away[list])
	if i := slices.Index(away, title); i >= 0 {
		away = slices.Delete(away, i, i+1)
	} else {
		away = append(away, title)
	}
	d.away[list] = away
	if d.cfg.StateDir == "" {
		return nil
	}
	text, err := json.MarshalIndent(d.away, "", " ")
	name := filepath.Join(d.cfg.StateDir, columnsFile)
	return func() tea.Msg {
		if err == nil {
			err = notes.Replace(name, append(text, '\n'))
		}
		if err != nil {
			return toldMsg{"the choice of columns is not kept: " + oneLine(err)}
		}
		return nil
	}
}

// picked are columns of a list without those that were chosen away. A mark at the
// end of a title says how the list is sorted.
func (d *desk) picked(list string, columns []column.Column) []column.Column {
	for i := range columns {
		title := strings.TrimRight(columns[i].Title, " ▼▲")
		columns[i].Off = title != "" && slices.Contains(d.away[list], title)
	}
	return columns
}

// openColumns lists the columns of the open screen's list.
func (m *model) openColumns() {
	_, titles := m.screens[m.open].(tabled).listed()
	m.over = &overlay{title: columnsTitle}
	m.over.window.SetLen(len(titles))
}

const columnsTitle = "columns"

func (m *model) whyNoColumns() string {
	_, ok := m.screens[m.open].(tabled)
	return unless(ok, "this screen has no list whose columns can be chosen")
}

func (o *overlay) columnKeys(m *model) []binding {
	list, titles := m.screens[m.open].(tabled).listed()
	turn := func() tea.Cmd { return m.showColumn(list, titles[o.window.Cursor()]) }
	return append(moveKeys(&o.window, "", func() tea.Cmd { return nil }),
		binding{keys: []string{"space", "enter"}, name: "space", help: "show the column, or do not", hint: "show or hide", do: turn},
		binding{keys: []string{"t"}, name: "t", help: "close the list", hint: "close", do: act(func() { m.over = nil })},
	)
}

func (o *overlay) columnsView(m *model, w, h int) []string {
	list, titles := m.screens[m.open].(tabled).listed()
	lines := []string{"", " " + m.theme.title.Render("Columns of the list") + m.theme.dim.Render("  a narrow screen leaves some out all the same"), ""}
	o.window.SetHeight(h - len(lines))
	from, to := o.window.Range()
	for i := from; i < to; i++ {
		mark := "[x]"
		if slices.Contains(m.away[list], titles[i]) {
			mark = "[ ]"
		}
		line := cells.Fit(fmt.Sprintf("  %s %s", mark, titles[i]), w)
		if i == o.window.Cursor() {
			line = m.theme.chosen.Render(line)
		}
		lines = append(lines, line)
	}
	return cells.Block(lines, w, h)
}

func (r *replayScreen) listed() (list string, titles []string) {
	return "replay", []string{"time", "client", "key", "code", "engine", "v1 moved"}
}

func (s *incidentScreen) listed() (list string, titles []string) {
	return "incident", []string{"client", "endpoint", "n", "extra paid", "first", "last"}
}

func (s *findingsScreen) listed() (list string, titles []string) {
	return "findings", []string{"sure", "client", "extra paid", "gap"}
}

func (s *compareScreen) listed() (list string, titles []string) {
	return "compare", []string{"time", "client", "key"}
}

func (s *whatifScreen) listed() (list string, titles []string) {
	return "what if", []string{"extra", "money left", "stopped", "refused", "409", "422", "unpaid", "other", "again"}
}
