package tui

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/tui/cells"
	"idem/tui/notes"
	"idem/tui/rows"
)

// NotesFile is the name of the timeline of notes beside the report.
const NotesFile = "idem_notes.md"

// journal is the book of the incident and, while it is open, the list of its notes.
type journal struct {
	book   notes.Book
	loaded bool
	open   bool
	window rows.Window
}

type (
	notesMsg struct {
		of   Session
		book notes.Book
		err  error
	}
	// toldMsg is a line about something that was written.
	toldMsg struct{ line string }
)

// dayOf names what notes are kept for: the incident by the hash of its content, a
// part of it by that and by what narrows it. A note stands at a position, and
// those of a part are other requests' in the whole.
func dayOf(s Session, e analysis.Evidence) string {
	part := s.Narrowing()
	if part.IsZero() {
		return e.SHA256
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(append([]string{e.SHA256}, narrowFlags(part.Filter)...), "\n"))))
}

// loadNotes looks up what was noted on this content before.
func (r *replayScreen) loadNotes() tea.Cmd {
	if r.cfg.StateDir == "" || r.evidence == nil {
		return nil
	}
	s, dir, day := r.session, r.cfg.StateDir, dayOf(r.session, *r.evidence)
	return func() tea.Msg {
		book, err := notes.Load(dir, day)
		return notesMsg{s, book, err}
	}
}

// tookNotes takes in what is kept by now, to which other workbenches may have added.
// What was made before that could be read is kept then.
func (r *replayScreen) tookNotes(msg notesMsg) tea.Cmd {
	if msg.of != r.session {
		return nil
	}
	if msg.err != nil { // what cannot be read is not written over
		r.tell(oneLine(msg.err))
		return nil
	}
	made := !r.notes.loaded && !r.notes.book.Blank()
	r.notes.loaded = true
	r.setBook(r.notes.book.Merge(msg.book))
	if made {
		return r.saveNotes()
	}
	return nil
}

// edit takes a book over and has it kept.
func (r *replayScreen) edit(b notes.Book) tea.Cmd {
	r.setBook(b)
	return r.saveNotes()
}

func (r *replayScreen) setBook(b notes.Book) {
	r.notes.set(b)
	r.stops.set(b.Stops())
}

// set takes a book over and keeps the cursor on its note.
func (j *journal) set(b notes.Book) {
	at, was := j.window.Cursor(), j.book.Notes()
	j.book = b
	now := b.Notes()
	j.window.SetLen(len(now))
	if at < len(was) {
		j.window.To(sort.Search(len(now), func(i int) bool { return now[i].N >= was[at].N }))
	}
}

func (r *replayScreen) saveNotes() tea.Cmd {
	if !r.notes.loaded {
		return nil
	}
	s, dir, day, book := r.session, r.cfg.StateDir, dayOf(r.session, *r.evidence), r.notes.book
	return func() tea.Msg {
		kept, err := notes.Save(dir, day, book)
		if err != nil {
			return toldMsg{"marks and breakpoints are not kept: " + oneLine(err)}
		}
		return notesMsg{s, kept, nil}
	}
}

func (r *replayScreen) askNote() {
	step := *r.current()
	label := "note on #" + number(step.N)
	if old, ok := r.notes.book.At(step.N); ok && r.drafts[label] == "" {
		r.drafts[label] = old.Text
	}
	r.ask(asking{label: label, once: true, enter: func(text string) tea.Cmd {
		note := notes.Note{N: step.N, Seq: step.Seq, At: step.At.UTC(), Text: strings.TrimSpace(text)}
		r.tell("#" + number(step.N) + " is marked; M lists the marks")
		return r.edit(r.notes.book.With(note, time.Now()))
	}})
}

func (r *replayScreen) openNotes() {
	r.stop()
	r.notes.open = true
	r.notes.window.SetLen(len(r.notes.book.Notes()))
}

func (r *replayScreen) notesKeys() []binding {
	none := unless(len(r.notes.book.Notes()) > 0, "there is no mark")
	keys := moveKeys(&r.notes.window, none, func() tea.Cmd { return nil })
	return append(keys,
		binding{keys: []string{"enter"}, name: "enter", help: "go to the moment", hint: "go", why: none, do: r.toNote},
		binding{keys: []string{"x", "delete"}, name: "x", help: "remove the mark and its note", hint: "remove", why: none, do: r.removeNote},
		binding{keys: []string{"w"}, name: "w", help: "write the notes as a timeline beside the report", hint: "write", why: none, do: r.writeNotes},
		binding{keys: []string{"esc", "M"}, name: "esc", help: "close the list", hint: "close", do: act(func() { r.notes.open = false })},
	)
}

func (r *replayScreen) chosenNote() notes.Note { return r.notes.book.Notes()[r.notes.window.Cursor()] }

func (r *replayScreen) toNote() tea.Cmd {
	r.notes.open = false
	return r.runTo(r.chosenNote().N)
}

func (r *replayScreen) removeNote() tea.Cmd {
	return r.edit(r.notes.book.Without(r.chosenNote().N, time.Now()))
}

// writeNotes writes the timeline. It is a file of its own, since the report is a
// function of the input and the policy.
func (r *replayScreen) writeNotes() tea.Cmd {
	hash := "not known yet"
	if r.evidence != nil {
		hash = r.evidence.SHA256
	}
	name, text := filepath.Join(r.cfg.OutDir, NotesFile), r.notes.book.Timeline(filepath.Base(r.cfg.File), hash)
	return func() tea.Msg {
		if err := notes.Replace(name, []byte(text)); err != nil {
			return toldMsg{"notes not written: " + oneLine(err)}
		}
		return toldMsg{"notes written into " + name}
	}
}

func (r *replayScreen) notesView(w, h int) []string {
	t := &r.theme
	lines := []string{"", " " + t.title.Render("Marks and notes"), ""}
	r.notes.window.SetHeight(h - len(lines))
	from, to := r.notes.window.Range()
	list := r.notes.book.Notes()
	for i := from; i < to; i++ {
		n := list[i]
		line := cells.Cut(" "+cells.Right(number(n.N), 10)+"  "+clock(n.At)+"  "+show(n.Text, w), w)
		if i == r.notes.window.Cursor() {
			line = t.chosen.Render(cells.Fit(line, w))
		}
		lines = append(lines, line)
	}
	if len(list) == 0 {
		lines = append(lines, "   "+t.dim.Render("none; m on a step makes one"))
	}
	return cells.Block(lines, w, h)
}
