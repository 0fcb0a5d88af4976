package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/classroom"
	"idem/analysis/replay"
	"idem/tui/rows"
)

// classroomScreen runs the right engine beside a wrong one, request by request.
// What becomes of the next request stays hidden until the trainee has said what
// will.
type classroomScreen struct {
	*desk
	lessons rows.Window
	class   *class // nil while a lesson is being chosen
	scroll  rows.Window
	full    bool // the round has the whole screen
}

// class is a lesson that is being gone through.
type class struct {
	lesson classroom.Lesson
	walker *walker
	stop   context.CancelFunc
	ctx    context.Context
	busy   bool // a command has the walker
	to     aim

	walked
	sent    int64
	rounds  []taught // the last ones
	window  rows.Window
	leak    classroom.Leak
	differs int64 // rounds in which the two did not do the same
	score   *score
	err     error
}

// score is what a trainee has said, kept when a lesson starts over. A request
// counts once.
type score struct {
	open    bool                   // nothing is asked, outcomes are shown at once
	guesses map[int64]replay.Class // by position
	judged  map[int64]bool         // whether they were right
}

func newScore() *score {
	return &score{guesses: map[int64]replay.Class{}, judged: map[int64]bool{}}
}

// judge compares what was said about a request with what became of it. One that
// still runs was taken on as a new one.
func (s *score) judge(r *taught) {
	if guess, said := s.guesses[r.N]; said {
		s.judged[r.N] = guess == answerOf(r)
	}
}

func answerOf(r *taught) replay.Class {
	if r.Right.Step.Class == replay.Running {
		return replay.Created
	}
	return r.Right.Step.Class
}

func (s *score) right() (n int) {
	for _, right := range s.judged {
		if right {
			n++
		}
	}
	return n
}

type (
	walkedMsg struct {
		of  *class
		got walked
		err error
	}
	suggestedMsg struct {
		of  *class
		got classroom.Suggestion
		pos int64 // of the request to do it to
		err error
	}
)

func newClassroomScreen(d *desk) *classroomScreen {
	s := &classroomScreen{desk: d}
	s.lessons.SetLen(len(classroom.Lessons()))
	return s
}

func (s *classroomScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		return s.leave()
	case walkedMsg:
		return s.took(msg)
	case suggestedMsg:
		return s.suggested(msg)
	}
	return nil
}

func (s *classroomScreen) shown() tea.Cmd { return nil }

// begin starts a lesson, or starts it over with something else done to the day,
// and goes to a position.
func (s *classroomScreen) begin(l classroom.Lesson, w walker, sc *score, n int64) tea.Cmd {
	left := s.leave()
	w.day, w.lesson, w.duel, w.seen = paged{s.session.Day()}, l, nil, nil
	ctx, stop := context.WithCancel(s.ctx)
	s.class = &class{lesson: l, walker: &w, ctx: ctx, stop: stop, to: aim{n: n}, score: sc}
	return tea.Batch(left, s.walk())
}

// again starts the lesson over with something done to the day, and comes back to
// where it was.
func (s *classroomScreen) again(change func(w *walker), n int64) tea.Cmd {
	c := s.class
	w := walker{policy: c.walker.policy, inject: c.walker.inject}
	change(&w)
	return s.begin(c.lesson, w, c.score, n)
}

// leave ends the lesson. What is still read ends in a command, since that may
// take a moment; where a command has the walker, once it comes back.
func (s *classroomScreen) leave() tea.Cmd {
	c := s.class
	s.class, s.full = nil, false
	if c == nil {
		return nil
	}
	c.stop()
	if c.busy {
		return nil
	}
	return c.closing()
}

func (c *class) closing() tea.Cmd {
	w := c.walker
	return func() tea.Msg { w.close(); return nil }
}

// walk goes on towards the aim, unless a command is on its way.
func (s *classroomScreen) walk() tea.Cmd {
	c := s.class
	if c == nil || c.busy {
		return nil
	}
	c.busy = true
	walker, ctx, to := c.walker, c.ctx, c.to
	return func() tea.Msg {
		got, err := walker.walk(ctx, to)
		return walkedMsg{c, got, err}
	}
}

func (s *classroomScreen) took(msg walkedMsg) tea.Cmd {
	c := msg.of
	c.busy = false
	if c != s.class {
		return c.closing()
	}
	if c.err = msg.err; c.err != nil {
		c.to = aim{n: c.sent}
		return nil
	}
	c.walked = msg.got
	for i := range msg.got.rounds {
		c.add(msg.got.rounds[i])
	}
	if !msg.got.reached && c.running() {
		return s.walk()
	}
	if c.to.breach {
		s.tellBreach()
	}
	c.to = aim{n: c.sent}
	return nil
}

// tellBreach says where the run to a broken invariant has ended.
func (s *classroomScreen) tellBreach() {
	c := s.class
	if n := len(c.rounds); n > 0 && len(c.rounds[n-1].Violations) > 0 {
		v := c.rounds[n-1].Violations[0]
		s.tell("broken at #" + number(c.sent) + ": " + string(v.Invariant))
		return
	}
	s.tell("no invariant broke; s goes to where this mistake shows")
}

// add takes a round in, and marks what was said about it.
func (c *class) add(r taught) {
	c.sent, c.leak = r.N, r.Leak
	if r.Diverged {
		c.differs++
	}
	c.score.judge(&r)
	last := c.window.Len() == 0 || c.window.Cursor() == c.window.Len()-1
	c.rounds = append(c.rounds, r)
	c.rounds = c.rounds[max(0, len(c.rounds)-roundsMost):]
	c.window.SetLen(len(c.rounds))
	if last {
		c.window.To(len(c.rounds) - 1)
	}
}

// running reports whether there is some way to go.
func (c *class) running() bool { return c.to.n > c.sent }

// say is the trainee's answer: the request is sent, and the answer compared.
func (s *classroomScreen) say(guess replay.Class) tea.Cmd {
	c := s.class
	if _, said := c.score.guesses[c.next.n]; !said {
		c.score.guesses[c.next.n] = guess
	}
	return s.runTo(aim{n: c.sent + 1})
}

// runTo goes to an aim; the newest round is shown again.
func (s *classroomScreen) runTo(to aim) tea.Cmd {
	c := s.class
	c.window.To(c.window.Len() - 1)
	c.to = to
	return s.walk()
}

// halt stops a run where it is; false when none is on.
func (c *class) halt() bool {
	on := c.running()
	c.to = aim{n: c.sent}
	return on
}

func (s *classroomScreen) back() (tea.Cmd, bool) {
	switch {
	case s.class == nil:
		return nil, false
	case s.full:
		s.full = false
		return nil, true
	case s.class.halt():
		return nil, true
	}
	return s.leave(), true
}

func (s *classroomScreen) wheel(d int) tea.Cmd {
	switch {
	case s.full:
		s.scroll.Scroll(d)
	case s.class != nil:
		s.class.window.Move(d)
	default:
		s.lessons.Move(d)
	}
	return nil
}

func (s *classroomScreen) click(int, int) tea.Cmd { return nil }
