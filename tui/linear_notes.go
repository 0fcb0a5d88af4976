package tui

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"idem/tui/notes"
)

// journal reads the notes on this content, once.
func (l *linear) journal() error {
	if l.day != "" {
		return nil
	}
	e, err := l.s.Evidence(l.ctx)
	if err != nil {
		return err
	}
	day := dayOf(l.s, e)
	if l.cfg.StateDir != "" {
		if l.book, err = notes.Load(l.cfg.StateDir, day); err != nil {
			return err
		}
	}
	l.day = day
	return nil
}

// mark notes something on the request.
func (l *linear) mark(text string) error {
	if l.page.pos == 0 {
		return errors.New("no request has been sent yet")
	}
	if err := l.journal(); err != nil {
		return err
	}
	step := &l.page.at.Step
	l.book = l.book.With(notes.Note{N: step.N, Seq: step.Seq, At: step.At.UTC(), Text: text}, time.Now())
	if l.cfg.StateDir != "" {
		kept, err := notes.Save(l.cfg.StateDir, l.day, l.book)
		if err != nil {
			return err
		}
		l.book = kept
	}
	l.say("Request %s is marked; marks tells them all.", number(step.N))
	return nil
}

// tellMarks tells the marks and notes, and writes them beside the report where that
// is asked for.
func (l *linear) tellMarks(args string) error {
	if args != "" && args != "write" {
		return errors.New("marks tells them, marks write writes them beside the report")
	}
	if err := l.journal(); err != nil {
		return err
	}
	list := l.book.Notes()
	for _, n := range list {
		said := n.Text
		if said == "" {
			said = "marked"
		}
		l.say("Request %s, %s: %s.", number(n.N), stamp(n.At), strings.TrimSuffix(said, "."))
	}
	l.say("%s in all.", many(int64(len(list)), "mark", "marks"))
	if args == "" || len(list) == 0 {
		return nil
	}
	name := filepath.Join(l.cfg.OutDir, NotesFile)
	if err := notes.Replace(name, []byte(l.book.Timeline(filepath.Base(l.cfg.File), l.day))); err != nil {
		return err
	}
	l.say("Notes written into %s.", name)
	return nil
}
