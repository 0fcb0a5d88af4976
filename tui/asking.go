package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"idem/tui/cells"
	"idem/tui/prompt"
	"idem/tui/query"
)

// asking is an open prompt. It owns the keys.
type asking struct {
	label string
	line  prompt.Line
	typed func(text string) tea.Cmd // after each change; may be nil
	enter func(text string) tea.Cmd
	leave func() tea.Cmd // esc; may be nil
	// moved takes keys before the line does, and tells of those it took. May be nil.
	moved func(msg tea.KeyPressMsg) bool
	// check tells what is wrong with the text while it is typed; while something
	// is, enter does nothing. May be nil.
	check func(text string) error
	// about are the fields of the query that is typed: then it is checked as one,
	// and tab completes it. 0 for another text.
	about query.Field
	once  bool // what was entered is done with, and not there when it is opened again
}

// ask opens a prompt. What was typed before it was last left stands in it.
func (d *desk) ask(a asking) {
	a.line = prompt.New(d.drafts[a.label])
	d.asking = &a
}

// promptKey is a key press while a prompt is open.
func (d *desk) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	a := d.asking
	switch key := msg.String(); key {
	case "enter":
		if a.wrong() != nil {
			return nil
		}
		d.close(a)
		if a.once {
			delete(d.drafts, a.label)
		}
		return a.enter(a.line.Text())
	case "esc", "ctrl+g":
		d.close(a)
		if a.leave != nil {
			return a.leave()
		}
	case "tab":
		if a.complete() {
			return d.typed(a)
		}
	default:
		if a.moved != nil && a.moved(msg) {
			return nil
		}
		if a.line.Key(msg) {
			return d.typed(a)
		}
	}
	return nil
}

// paste puts a pasted text into the prompt; without one nothing happens, so
// that no line of it runs as keys.
func (d *desk) paste(text string) tea.Cmd {
	if d.asking == nil {
		return nil
	}
	d.asking.line.Insert(text)
	return d.typed(d.asking)
}

func (d *desk) typed(a *asking) tea.Cmd {
	if a.typed == nil || a.wrong() != nil {
		return nil
	}
	return a.typed(a.line.Text())
}

func (d *desk) close(a *asking) {
	d.drafts[a.label] = a.line.Text()
	d.asking = nil
}

func (a *asking) wrong() error {
	switch {
	case a.about != 0:
		_, err := query.Parse(a.line.Text(), a.about)
		return err
	case a.check != nil:
		return a.check(a.line.Text())
	}
	return nil
}

// complete goes on with the query as far as there is one way to, and else with
// the first of them; false where nothing is known to follow.
func (a *asking) complete() bool {
	stem, ends := query.Complete(a.line.Text(), a.about)
	if len(ends) == 0 {
		return false
	}
	common := ends[0]
	for _, end := range ends {
		for !strings.HasPrefix(end, common) {
			common = common[:len(common)-1]
		}
	}
	if len(stem+common) == len(a.line.Text()) {
		common = ends[0]
	}
	a.line = prompt.New(stem + common)
	return true
}

// hint is how the query can go on; all that it is made of where a word begins.
func (a *asking) hint() string {
	text := a.line.Text()
	if a.about == 0 {
		return ""
	}
	if text == "" || strings.HasSuffix(text, " ") {
		return query.Hint(a.about)
	}
	_, ends := query.Complete(text, a.about)
	return strings.Join(ends, " ")
}

func (a *asking) view(t *theme, w int) string {
	if err := a.wrong(); err != nil {
		said := t.failure.Render(show(err.Error(), w*2/3))
		room := w - cells.Width(said) - 2
		return cells.Fit(a.lineView(t, room), room) + "  " + said
	}
	const least = 12 // cells that a hint is worth beginning in
	used := cells.Width(a.label) + cells.Width(visible(a.line.Text())) + 4
	if hint := a.hint(); hint != "" && w-used >= least {
		return a.lineView(t, used) + t.dim.Render(cells.Fit(hint, w-used))
	}
	return a.lineView(t, w)
}

func (a *asking) lineView(t *theme, w int) string {
	return a.line.View(t.key.Render(a.label+" "), w, visible, t.chosen.Render)
}
