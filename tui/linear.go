package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/tui/notes"
	"idem/tui/query"
)

// linear is the workbench for ears: the same session and the same player, told
// in words, one statement a line, with commands in words. Nothing is drawn, no
// line is taken back, and no sign stands for a word.
type linear struct {
	cfg       Config
	log       *slog.Logger
	ctx       context.Context
	out       *bufio.Writer
	s         Session
	p         Player
	found     *analysis.Duplicates
	order     []*analysis.Group // of found, what was paid again most first
	page      page
	marks     marks
	terse     bool   // outcomes are not explained
	told      int    // how many duplicates have been told
	done      bool   // the day's files are written
	unwritten error  // why not, when they were last tried
	again     string // the last movement, which an empty line repeats
	stop      int    // of the tour, the next one
	warned    bool   // that the file has changed
	result    *replay.Result
	book      notes.Book
	day       string // what notes are kept for; "" until they are asked for
	quit      bool
}

// RunLinear runs the workbench in words: it reads commands from in until quit,
// the end of in or that of ctx, and tells what they come to on out. Prompt has
// it ask for each command. Errors are those of opening, of writing to out and of
// the day's files at last; what a command cannot do is said on out.
func RunLinear(ctx context.Context, cfg Config, in io.Reader, out io.Writer, prompt bool) (err error) {
	l := &linear{cfg: cfg, log: logOr(cfg.Log), ctx: ctx, out: bufio.NewWriter(out)}
	l.opening()
	if l.s, err = cfg.Open(ctx, cfg.Narrow); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.s.Close()) }()
	if l.p, err = l.s.Player(ctx); err != nil {
		return err
	}
	if l.found, err = l.s.Duplicates(ctx, nil); err != nil {
		return err
	}
	l.order, l.marks = byMoney(l.found), newMarks(l.p.Total())
	if err = l.try(l.read(goal{})); err != nil {
		return err
	}
	l.welcome()
	if at := cfg.Start.At; at > 0 {
		if err = l.try(l.goTo(at)); err != nil {
			return err
		}
	}
	return l.listen(lines(ctx, in), prompt)
}

// listen does one command after the other.
func (l *linear) listen(commands <-chan string, prompt bool) error {
	for !l.quit {
		if prompt {
			fmt.Fprint(l.out, "command: ")
		}
		if err := l.out.Flush(); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
		select {
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		case line, more := <-commands:
			if !more {
				return l.end()
			}
			if err := l.try(l.obey(line)); err != nil {
				return err
			}
		}
	}
	return l.end()
}

func (l *linear) end() error {
	if err := l.out.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	if l.unwritten != nil {
		return unwritten(l.cfg, l.unwritten)
	}
	return nil
}

// try says what went wrong with a command. Only the end of the context ends all.
func (l *linear) try(err error) error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	if err != nil {
		l.say("Error: %s.", strings.TrimSuffix(oneLine(err), "."))
	}
	return nil
}

// longestCommand is how many bytes of a line are read.
const longestCommand = 64 << 10

// lines reads lines beside whoever waits for them, who may be called away.
func lines(ctx context.Context, in io.Reader) <-chan string {
	found := make(chan string)
	go func() {
		defer close(found)
		s := bufio.NewScanner(in)
		s.Buffer(nil, longestCommand)
		for s.Scan() {
			select {
			case found <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return found
}

// say tells one statement on a line of its own.
func (l *linear) say(format string, args ...any) {
	fmt.Fprintln(l.out, visible(fmt.Sprintf(format, args...)))
}

// tellEvery is how often a long run says how far it is.
const tellEvery = 5 * time.Second

// read goes to a goal and has its page.
func (l *linear) read(g goal) error {
	tell := time.Now().Add(tellEvery)
	for {
		s := seeker{session: l.s, player: l.p, goal: g, at: l.page.pos, halt: l.ctx, marks: l.marks}
		msg := s.run(l.ctx)
		switch {
		case msg.err != nil || l.ctx.Err() != nil:
			return msg.err
		case msg.nothing:
			l.say("There is no %s %s request %s.", g.find.name, map[bool]string{true: "after", false: "before"}[g.find.dir == replay.Forward], number(g.find.from))
			return nil
		}
		l.page = msg.page
		if l.page.changed && !l.warned {
			l.warned = true
			l.say("Warning: the file has changed on the disk; what was opened stays.")
		}
		if msg.reached {
			return l.throughOnce()
		}
		if g.find != nil {
			g.find.left, g.find.last = msg.left, msg.last
		}
		if time.Now().After(tell) {
			l.say("At request %s of %s.", number(l.page.frontier), number(l.p.Total()))
			_ = l.out.Flush() // what it says is said again at the end
			tell = time.Now().Add(tellEvery)
		}
	}
}

// throughOnce writes the day's files as soon as its last request is through.
func (l *linear) throughOnce() error {
	if l.done || l.p.Frontier() < l.p.Total() {
		return nil
	}
	return l.write()
}

// find goes to the next step that a search finds.
func (l *linear) find(s search) error {
	s.from = l.page.pos
	before := l.page.pos
	now := s // it is changed on the way
	if err := l.read(goal{pos: l.page.pos, find: &now}); err != nil {
		return err
	}
	if l.page.pos != before {
		l.step()
	}
	return nil
}

// wanted is a search in words: an outcome, duplicate, or a query as in a filter.
func wanted(text string, dir replay.Direction) (search, error) {
	s := search{dir: dir, name: "request with " + text, left: 1}
	word := strings.ToLower(text)
	for _, c := range replay.Classes {
		if first, _, _ := strings.Cut(c.String(), " "); word == first || word == c.String() {
			s.target, s.name = replay.Target{Classes: []replay.Class{c}}, c.String()
			return s, nil
		}
	}
	switch word {
	case "":
		return s, errors.New("say what to find: created, replayed, 409, 422, refused, duplicate, or a query such as client:shop-1")
	case "duplicate":
		s.target, s.name = replay.Target{Duplicate: true}, word
		return s, nil
	}
	var err error
	s.wants, err = query.Parse(text, stepFields)
	return s, err
}
