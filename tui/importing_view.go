package tui

import (
	"errors"
	"strings"

	"idem/analysis/printable"
	"idem/tui/cells"
	"idem/tui/frame"
)

func (s *importScreen) view(w, h int) []string {
	if s.reading {
		return scrolled(&s.scroll, indent(understood(s.text, w-4)), w, h)
	}
	lines := s.head(w)
	s.fieldTop = len(lines)
	lines = append(lines, s.fieldLines(w)...)
	lines = append(append(lines, ""), s.status(w)...)
	if rest := h - len(lines); s.text != "" && rest > 3 {
		lines = append(lines, "", frame.Rule("what was understood", w, s.theme.edge.Render, s.theme.title.Render))
		lines = append(lines, indent(understood(s.text, w-4))...)
	}
	return cells.Block(lines, w, h)
}

func (s *importScreen) head(w int) []string {
	const about = "  of the logs and ledgers that you have"
	return []string{" " + cells.Cut(s.theme.title.Render("Make an incident")+s.theme.dim.Render(about), w-1)}
}

func (s *importScreen) fieldLines(w int) []string {
	lines := make([]string, len(importFields))
	for i, f := range importFields {
		const names = 14
		text, style := *f.of(&s.form), s.theme.plain
		if text == "" {
			text, style = f.about, s.theme.dim
		}
		text = show(text, w-names-1)
		if i == s.field.Cursor() {
			lines[i] = s.theme.chosen.Render(cells.Fit(" › "+cells.Fit(f.name, names-3)+text, w))
			continue
		}
		lines[i] = "   " + s.theme.key.Render(cells.Fit(f.name, names-3)) + style.Render(text)
	}
	return lines
}

// status says how far things are and what to do next.
func (s *importScreen) status(w int) []string {
	say := func(style ink, text string) []string {
		lines := cells.Wrap(text, w-4)
		for i := range lines {
			lines[i] = "  " + style.Render(lines[i])
		}
		return lines
	}
	switch {
	case s.state == busy:
		return say(s.theme.notice, s.progress()+" · esc stops it")
	case s.state == failed:
		return append(say(s.theme.failure, oneLine(s.err)), say(s.theme.notice, s.remedy())...)
	case s.made():
		file := visible(s.ran.Out)
		return say(s.theme.stopped, "written into "+file+" · o opens it here, and so does idem "+file+" in a shell")
	case s.previewed():
		return say(s.theme.notice, "nothing was written yet · i imports it"+s.whereTo())
	case s.state == done:
		return say(s.theme.notice, "the fields are others than those of the dry run; d runs it again")
	}
	return say(s.theme.dim, "enter types into a field · d shows what would be imported")
}

// whereTo says into which file an import would go.
func (s *importScreen) whereTo() string {
	if s.form.Out == "" {
		return " once out names the file to make"
	}
	return " into " + visible(s.form.Out)
}

// progress is how many bytes of the files were read.
func (s *importScreen) progress() string {
	doing := map[bool]string{true: "dry run", false: "importing"}[s.dry]
	read, all := s.job.far.done.Load(), s.job.far.total.Load()
	switch {
	case all > 0 && read >= all:
		return doing + "… all " + printable.Size(all) + " read, joining"
	case all > 0:
		return doing + "… " + printable.Size(read) + " of " + printable.Size(all) + " (" + number(100*read/all) + " %)"
	case read > 0:
		return doing + "… " + printable.Size(read)
	}
	return doing + "…"
}

// remedy is what helps against an error.
func (s *importScreen) remedy() string {
	u := new(Undecided)
	if !errors.As(s.err, &u) {
		return map[bool]string{true: "d", false: "i"}[s.dry] + " tries again"
	}
	return "settled by " + visible(u.Flag) + " · enter types it into the field, then d tries again"
}

// understood is an import's text in lines of at most w cells. What is longer goes
// on below, further in.
func understood(text string, w int) []string {
	const in = 4
	lines := []string{""}
	for line := range strings.Lines(text) {
		line = visible(strings.TrimRight(line, "\n"))
		if cells.Width(line) <= w {
			lines = append(lines, line)
			continue
		}
		for i, part := range cells.Wrap(line, w-in) {
			if i > 0 {
				part = cells.Blank(in) + part
			}
			lines = append(lines, part)
		}
	}
	return lines
}
