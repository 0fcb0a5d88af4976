package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

func (s *importScreen) keys() section {
	if s.reading {
		return section{title: "Import", bindings: append(scrollKeys(&s.scroll), s.runKeys()...)}
	}
	list := append(moveKeys(&s.field, s.whyBusy(), func() tea.Cmd { return nil }),
		binding{keys: []string{"enter"}, name: "enter", help: "type into the field", hint: "type", why: s.whyBusy(), do: act(s.askField)},
		binding{keys: []string{"v"}, name: "v", help: "read what was understood", hint: "read", why: s.whyNothingRead(), do: act(func() { s.read(true) })},
	)
	return section{title: "Import", bindings: append(list, s.runKeys()...)}
}

func (s *importScreen) runKeys() []binding {
	return []binding{
		{keys: []string{"d"}, name: "d", help: "dry run: show what would be imported, and make no file", hint: "dry run", why: s.whyNoDryRun(), do: func() tea.Cmd { return s.run(true) }},
		{keys: []string{"i"}, name: "i", help: "import what the dry run showed (esc stops it)", hint: "import", why: s.whyNoImport(), do: func() tea.Cmd { return s.run(false) }},
		s.cellKey(unless(s.form != ImportForm{}, "no field is filled in"), s.fieldCells),
		{keys: []string{"Y"}, name: "Y", help: "copy what was understood, the mapping too", why: s.whyNothingRead(), do: func() tea.Cmd { return s.copyText("what was understood", s.text) }},
		{keys: []string{"c"}, name: "c", help: "copy the command line that imports this", why: unless(s.form.Requests+s.form.Transfers != "", noImportFiles), do: func() tea.Cmd { return s.copyText("command", s.form.command()) }},
		{keys: []string{"o"}, name: "o", help: "open the incident that was made", hint: "open it", why: s.whyNoOpen(), do: s.openMade},
	}
}

const noImportFiles = "name files of requests, transfers or both first"

// fieldCells are the fields from the one under the cursor on.
func (s *importScreen) fieldCells() []cell {
	var list []cell
	for i := range importFields {
		f := importFields[(s.field.Cursor()+i)%len(importFields)]
		list = append(list, cell{f.name, *f.of(&s.form)})
	}
	return list
}

// command is the form as idem import takes it. Its settings are flags already.
func (f *ImportForm) command() string {
	words := []string{"idem", "import"}
	for _, flag := range []struct{ name, text string }{
		{"--requests", f.Requests}, {"--transfers", f.Transfers}, {"--accounts", f.Accounts}, {"--map", f.Mapping},
	} {
		if flag.text != "" {
			words = append(words, flag.name, shellWord(flag.text))
		}
	}
	for _, word := range strings.Fields(f.Settings) {
		words = append(words, shellWord(word))
	}
	if f.Out == "" {
		return strings.Join(append(words, "--dry-run"), " ")
	}
	return strings.Join(append(words, "--out", shellWord(f.Out)), " ")
}

func (s *importScreen) whyNothingRead() string {
	return unless(s.text != "", "nothing was understood yet")
}

func (s *importScreen) whyBusy() string {
	return unless(s.state != busy, "it is running; esc stops it")
}

func (s *importScreen) whyNoDryRun() string {
	switch {
	case s.cfg.Importer == nil:
		return "idem import does it from a shell"
	case s.form.Requests == "" && s.form.Transfers == "":
		return noImportFiles
	}
	return s.whyBusy()
}

func (s *importScreen) whyNoImport() string {
	switch {
	case s.state == busy:
		return s.whyBusy()
	case s.made() && s.ran == s.form:
		return "it is imported"
	case !s.previewed():
		return "a dry run (d) of these fields comes first"
	}
	return unless(s.form.Out != "", "name the file to make first (out)")
}

func (s *importScreen) whyNoOpen() string {
	switch {
	case !s.made():
		return "no incident was made yet"
	case s.opening:
		return "an incident is being opened"
	}
	return unless(s.files.state != busy, "the day's files are being written")
}
