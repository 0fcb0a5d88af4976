package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"idem/tui/cells"
	"idem/tui/markdown"
	"idem/tui/rows"
)

// reportScreen shows idem_report.md as it is written.
type reportScreen struct {
	*desk
	scroll rows.Window
	text   string   // as it is written
	lines  []string // it, drawn for look
	sought string   // what n and N go to; "" for sections
	found  int      // the line that was found, 1-based; 0 for none
	look   look
	asked  bool
	err    error
}

// look is what a drawn report depends on besides its text.
type look struct {
	width int
	page  markdown.Look
}

type reportMsg struct {
	of    Session
	look  look
	text  string
	lines []string
	err   error
}

func newReportScreen(d *desk) *reportScreen { return &reportScreen{desk: d} }

func (r *reportScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		*r = reportScreen{desk: r.desk}
	case resultMsg:
		return r.draw()
	case reportMsg:
		if msg.of == r.session {
			r.asked = false
			r.text, r.lines, r.look, r.err, r.found = msg.text, msg.lines, msg.look, msg.err, 0
			return r.draw()
		}
	}
	return nil
}

func (r *reportScreen) shown() tea.Cmd { return r.draw() }

// draw draws the report in a command, once for each width.
func (r *reportScreen) draw() tea.Cmd {
	want := look{min(r.width-2, 120), r.theme.page}
	if r.result == nil || r.asked || want.width < 1 || (r.look == want && r.err == nil) {
		return nil
	}
	r.asked = true
	session, ctx := r.session, r.ctx
	return func() tea.Msg {
		text, err := session.Report(ctx)
		msg := reportMsg{of: session, look: want, text: text, err: err}
		if err == nil {
			msg.lines, msg.err = markdown.Lines(text, want.width, want.page)
		}
		return msg
	}
}

func (r *reportScreen) back() (tea.Cmd, bool)  { return nil, false }
func (r *reportScreen) click(int, int) tea.Cmd { return nil }

func (r *reportScreen) wheel(d int) tea.Cmd {
	r.scroll.Scroll(d)
	return nil
}

func (r *reportScreen) view(w, h int) []string {
	switch {
	case r.err != nil:
		return indent(append([]string{""}, cells.Wrap("The report could not be made: "+oneLine(r.err), w-6)...))
	case r.lines != nil:
		lines := scrolled(&r.scroll, r.lines, w-2, h)
		from, _ := r.scroll.Range()
		for i := range lines {
			lines[i] = cells.Fit(r.margin(from+i+1), 1) + lines[i]
		}
		return lines
	case r.result != nil:
		return indent([]string{"", "drawing…"})
	}
	return indent(r.missing(w - 4))
}

// margin marks the line that was found.
func (r *reportScreen) margin(line int) string {
	if line != r.found {
		return ""
	}
	return r.theme.notice.Render("›")
}

// missing says what the report waits for.
func (r *reportScreen) missing(w int) []string {
	total, known := r.total()
	if known && total == 0 {
		return []string{"", r.theme.title.Render("No report yet"), "", r.noRequests() + ".", "", "G on the replay screen (2) writes one all the same."}
	}
	text := fmt.Sprintf("The report compares the day as it was with the day as it would have been, so it needs every request sent through the engine: %s.",
		many(total, "request", "requests"))
	lines := append([]string{"", r.theme.title.Render("No report yet"), ""}, cells.Wrap(text, w)...)
	return append(lines, "", "enter runs the day to its end; so does G on the replay screen (2).")
}
