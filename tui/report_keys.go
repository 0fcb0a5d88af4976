package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func (r *reportScreen) keys() section {
	total, _ := r.total()
	none := unless(r.lines != nil, "there is no report yet; enter runs the day")
	return section{title: "Report", bindings: append(scrollKeys(&r.scroll),
		binding{keys: []string{"enter"}, name: "enter", help: "run the day to its end", hint: "run the day", why: unless(r.result == nil && total > 0, "the day is through"), do: r.runDay},
		binding{keys: []string{"/"}, name: "/", help: "find a text; n and N go on", hint: "find", why: none, do: act(r.askText)},
		binding{keys: []string{"n"}, name: "n", help: "next match, or next section while nothing is looked for", hint: "next", why: none, do: act(func() { r.find(1) })},
		binding{keys: []string{"N"}, name: "N", help: "previous match or section", why: none, do: act(func() { r.find(-1) })},
		binding{keys: []string{"y"}, name: "y", help: "copy the section at the top of the screen", why: none, do: r.copySection},
		binding{keys: []string{"Y"}, name: "Y", help: "copy the report as Markdown", why: none, do: func() tea.Cmd { return r.copyText("report", r.text) }},
		r.commandKey("replay"),
	)}
}

// runDay goes to the replay and runs it.
func (r *reportScreen) runDay() tea.Cmd {
	total, _ := r.total()
	r.enter(replayRoom)
	return func() tea.Msg { return seekMsg{total} }
}

func (r *reportScreen) askText() {
	r.ask(asking{label: "find in report", enter: func(text string) tea.Cmd {
		r.sought = strings.ToLower(strings.TrimSpace(text))
		r.find(1)
		return nil
	}})
}

// find goes to the next line, or the one before, that holds what is sought, or
// that begins a section.
func (r *reportScreen) find(d int) {
	what, holds := "section", isHeading
	if r.sought != "" {
		what, holds = show(r.sought, 40), func(line string) bool { return strings.Contains(strings.ToLower(line), r.sought) }
	}
	for i := r.place() + d; i >= 1 && i <= len(r.lines); i += d {
		if holds(ansi.Strip(r.lines[i-1])) {
			r.found = i
			from, _ := r.scroll.Range()
			r.scroll.Scroll(i - 1 - from)
			return
		}
	}
	r.tell("no " + what + map[bool]string{true: " below", false: " above"}[d > 0])
}

// place is the line to go on from: the one that was found while it is on the
// screen, and the first that is otherwise.
func (r *reportScreen) place() int {
	from, to := r.scroll.Range()
	if from < r.found && r.found <= to {
		return r.found
	}
	return from
}

// isHeading tells the lines at which a section begins, drawn or not.
func isHeading(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "##") }

// copySection copies the section at the top of the screen, or the one where
// something was found.
func (r *reportScreen) copySection() tea.Cmd {
	from, _ := r.scroll.Range()
	n := 0
	for _, line := range r.lines[:max(r.place(), from+1)] {
		if isHeading(ansi.Strip(line)) {
			n++
		}
	}
	text := sections(r.text)[n]
	title, _, _ := strings.Cut(text, "\n")
	return r.copyText(show(strings.TrimLeft(title, "# "), 30), text)
}

// sections are a Markdown text's parts: what stands before the first heading but
// the title, and what each heading begins.
func sections(text string) []string {
	var list []string
	begin := 0
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if at > 0 && isHeading(line) {
			list = append(list, text[begin:at])
			begin = at
		}
		at += len(line) + 1
	}
	return append(list, text[begin:])
}
