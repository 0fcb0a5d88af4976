package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/tui/rows"
)

// importScreen turns logs and ledgers into an incident: fields that say which,
// what was understood of them, and only then the file.
type importScreen struct {
	*desk
	form  ImportForm
	field rows.Window // the cursor over the fields

	job     *task
	state   phase
	dry     bool       // what runs, or ran last, makes no file
	ran     ImportForm // what it was run for
	dried   ImportForm // what the last dry run understood, without the file to make
	text    string     // what was understood
	err     error
	reading bool // the text has the whole screen
	scroll  rows.Window

	fieldTop int // line of the first field in the last view
}

// importField is a field of the form.
type importField struct {
	name, about string
	of          func(*ImportForm) *string
}

var importFields = []importField{
	{"requests", "logs of requests, parted by commas", func(f *ImportForm) *string { return &f.Requests }},
	{"transfers", "exports of the ledger, parted by commas", func(f *ImportForm) *string { return &f.Transfers }},
	{"accounts", "opening balances; those that no file gives are assumed", func(f *ImportForm) *string { return &f.Accounts }},
	{"mapping", "a TOML file that says how the others are read", func(f *ImportForm) *string { return &f.Mapping }},
	{"settings", "flags, such as --zone +09:00 --amount-unit minor", func(f *ImportForm) *string { return &f.Settings }},
	{"out", "the incident to make", func(f *ImportForm) *string { return &f.Out }},
}

// The fields that the screen itself goes to.
const (
	mappingField  = 3
	settingsField = 4
)

func newImportScreen(d *desk) *importScreen {
	s := &importScreen{desk: d, job: new(task)}
	s.field.SetLen(len(importFields))
	s.field.SetHeight(len(importFields))
	return s
}

func (s *importScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case beatMsg:
		return s.job.beat(msg)
	case taskMsg:
		s.took(msg)
	}
	return nil
}

func (s *importScreen) shown() tea.Cmd { return nil }

// run imports, or shows what would be imported.
func (s *importScreen) run(dry bool) tea.Cmd {
	s.state, s.dry, s.ran, s.err, s.reading = busy, dry, s.form, nil, false
	if dry {
		s.text = ""
	}
	importer, form := s.cfg.Importer, s.form
	return s.job.start(s.ctx, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return importer.Import(ctx, form, dry, progress)
	})
}

func (s *importScreen) took(msg taskMsg) {
	if !s.job.took(msg) {
		return
	}
	if s.err = msg.err; s.err != nil {
		s.state = failed
		s.toSettling()
		return
	}
	s.state, s.text = done, msg.got.(string)
	if s.dry {
		s.dried = unnamed(s.ran)
	}
	s.read(s.dry)
}

// unnamed is a form without the file to make, which changes nothing about what
// is understood.
func unnamed(form ImportForm) ImportForm {
	form.Out = ""
	return form
}

// read gives the text the whole screen, or takes it back.
func (s *importScreen) read(whole bool) {
	s.reading = whole
	s.scroll = rows.Window{}
}

// toSettling goes to the field that takes what an error asks for. Where that is
// a flag, it stands in the field's prompt already.
func (s *importScreen) toSettling() {
	u := new(Undecided)
	if !errors.As(s.err, &u) {
		return
	}
	flag, _, _ := strings.Cut(u.Flag, " ")
	if flag == "--map" {
		s.field.To(mappingField)
		return
	}
	s.field.To(settingsField)
	if !strings.Contains(s.form.Settings, flag) {
		s.drafts[draftOf(settingsField)] = strings.TrimLeft(s.form.Settings+" "+flag+" ", " ")
	}
}

// draftOf is the label of a field's prompt.
func draftOf(field int) string { return "import: " + importFields[field].name }

// askField types into the field under the cursor and goes on to the next one.
func (s *importScreen) askField() {
	i := s.field.Cursor()
	s.ask(asking{label: draftOf(i), enter: func(text string) tea.Cmd {
		*importFields[i].of(&s.form) = strings.TrimSpace(text)
		s.field.Move(1)
		return nil
	}})
}

// previewed: what the fields say now has been understood.
func (s *importScreen) previewed() bool { return s.dried != ImportForm{} && s.dried == unnamed(s.form) }

func (s *importScreen) made() bool { return s.state == done && !s.dry }

// openMade opens the incident that was made in place of the one that is open.
func (s *importScreen) openMade() tea.Cmd {
	importer, file := s.cfg.Importer, s.ran.Out
	s.enter(incidentRoom)
	return s.openFile(file, func(ctx context.Context, part analysis.Filter) (Session, error) {
		return importer.Open(ctx, file, part)
	})
}

// back stops what runs, then gives the screen back to the fields.
func (s *importScreen) back() (tea.Cmd, bool) {
	switch {
	case s.job.stop():
		s.state = idle
		s.tell("stopped; no file was made")
	case s.reading:
		s.read(false)
	default:
		return nil, false
	}
	return nil, true
}

func (s *importScreen) wheel(d int) tea.Cmd {
	if s.reading {
		s.scroll.Scroll(d)
	} else {
		s.field.Move(d)
	}
	return nil
}

func (s *importScreen) click(_, y int) tea.Cmd {
	if row, ok := s.field.At(y - s.fieldTop); ok && !s.reading {
		s.field.To(row)
	}
	return nil
}
