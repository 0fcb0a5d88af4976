package tui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/classroom"
	"idem/analysis/replay"
	"idem/analysis/whatif"
)

// keys are those of a lesson also while one is being chosen: then they say why
// they do nothing.
func (s *classroomScreen) keys() section {
	if s.full {
		return section{"Classroom", slices.Concat(s.answerKeys(), scrollKeys(&s.scroll), s.copyKeys())}
	}
	window, enter := &s.lessons, binding{help: "begin the lesson", hint: "begin", why: unless(s.session != nil, "no incident is open"), do: s.start}
	if c := s.class; c != nil {
		window, enter = &c.window, binding{help: "the round in full", hint: "open", why: unless(len(c.rounds) > 0, "no request was sent yet"), do: act(s.openRound)}
	}
	enter.keys, enter.name = []string{"enter"}, "enter"
	stay := func() tea.Cmd { return nil }
	return section{"Classroom", slices.Concat(moveKeys(window, "", stay), []binding{enter}, s.answerKeys(), s.walkKeys(), s.injectKeys(), s.copyKeys())}
}

// answers are what a trainee may say, by a letter or by the outcome's glyph.
var answers = []struct {
	key   string
	class replay.Class
}{{"c", replay.Created}, {"p", replay.Replayed}, {"i", replay.InFlight}, {"m", replay.Mismatch}, {"f", replay.Refused}}

func (s *classroomScreen) answerKeys() []binding {
	var list []binding
	for _, a := range answers {
		list = append(list, binding{keys: []string{a.key, glyph(a.class)}, name: a.key + " " + glyph(a.class), help: "say: " + a.class.String(),
			hint: a.class.String(), why: s.whyNoAnswer(), do: func() tea.Cmd { return s.say(a.class) }})
	}
	return list
}

// open reports whether outcomes are shown without asking.
func (s *classroomScreen) open() bool { return s.class != nil && s.class.score.open }

func (s *classroomScreen) whyNoAnswer() string {
	if s.open() {
		return "nothing is asked (o asks again); n sends the request"
	}
	return s.whyNoNext()
}

func (s *classroomScreen) whyNoNext() string {
	switch c := s.class; {
	case c == nil:
		return noLesson
	case c.err != nil:
		return "the lesson failed; R starts it over"
	case c.running() || c.busy:
		return "it is still running"
	case c.next == nil:
		return "the day is through; R starts it over"
	}
	return ""
}

const noLesson = "no lesson has begun; enter begins one"

// whyNoChange says why the day cannot be changed now.
func (s *classroomScreen) whyNoChange() string {
	if s.class == nil {
		return noLesson
	}
	return unless(!s.class.busy, "it is still running")
}

func (s *classroomScreen) walkKeys() []binding {
	next := s.whyNoNext()
	step := next
	if step == "" && !s.open() {
		step = "first say what becomes of it: c p i m f (o stops asking)"
	}
	asking := map[bool]string{false: "stop asking, show outcomes at once", true: "ask before each outcome"}[s.open()]
	begun := unless(s.class != nil, noLesson)
	return []binding{
		{keys: []string{"n", "space"}, name: "n", help: "send the next request", hint: "next", why: step, do: func() tea.Cmd { return s.runTo(aim{n: s.class.sent + 1}) }},
		{keys: []string{"d"}, name: "d", help: "run to where the two engines differ next", hint: "difference", why: next, do: func() tea.Cmd { return s.runTo(aim{n: s.class.total, diverge: true}) }},
		{keys: []string{"I"}, name: "I", help: "run to where an invariant breaks next", why: next, do: func() tea.Cmd { return s.runTo(aim{n: s.class.total, breach: true}) }},
		{keys: []string{"e"}, name: "e", help: "run the day to its end", hint: "end", why: next, do: func() tea.Cmd { return s.runTo(aim{n: s.class.total}) }},
		{keys: []string{"o"}, name: "o", help: asking, hint: "ask", why: begun, do: act(func() { s.class.score.open = !s.class.score.open })},
		{keys: []string{"R"}, name: "R", help: "start the lesson over", why: begun, do: func() tea.Cmd { return s.begin(s.class.lesson, walker{policy: s.cfg.Policy}, newScore(), 0) }},
	}
}

// copyKeys copy the round under the cursor.
func (s *classroomScreen) copyKeys() []binding {
	none := noLesson
	if s.class != nil {
		none = unless(len(s.class.rounds) > 0, "no request was sent yet")
	}
	return []binding{
		s.cellKey(none, func() []cell { return roundCells(s.class.selected()) }),
		{keys: []string{"Y"}, name: "Y", help: "copy the row as JSON", why: none, do: func() tea.Cmd { return s.copyText("row", s.class.roundJSON()) }},
	}
}

// injectKeys do something to the day at the next request.
func (s *classroomScreen) injectKeys() []binding {
	next := s.whyNoNext()
	at := func(key, what string, list func(*replay.Options) *[]int64) binding {
		return binding{keys: []string{key}, name: key, help: what + " at the next request, or take it back", why: next, do: func() tea.Cmd { return s.inject(what, list) }}
	}
	return []binding{
		{keys: []string{"s"}, name: "s", help: "go to where the mistake shows, with what it needs", hint: "show it", why: s.whyNoChange(), do: s.suggest},
		at("C", "a crash", func(o *replay.Options) *[]int64 { return &o.CrashAt }),
		at("S", "a stalled worker", func(o *replay.Options) *[]int64 { return &o.StallAt }),
		at("T", "a race with a twin", func(o *replay.Options) *[]int64 { return &o.RaceAt }),
		{keys: []string{"L"}, name: "L", help: "workers renew their leases, or do not", why: s.whyNoChange(), do: s.toggleRenewal},
	}
}

func (s *classroomScreen) start() tea.Cmd {
	l := classroom.Lessons()[s.lessons.Cursor()]
	return s.begin(l, walker{policy: s.cfg.Policy}, newScore(), 0)
}

func (s *classroomScreen) openRound() {
	s.full = true
	s.scroll.To(0)
}

// inject does something at the next request, or takes it back. An engine cannot
// be changed while it runs, so the day starts over and comes back to here.
func (s *classroomScreen) inject(what string, list func(*replay.Options) *[]int64) tea.Cmd {
	seq, n := s.class.next.seq, s.class.sent
	return s.again(func(w *walker) {
		seqs := list(&w.inject)
		if i := slices.Index(*seqs, seq); i >= 0 {
			*seqs = slices.Delete(slices.Clone(*seqs), i, i+1)
			s.tell(what + " is taken back")
			return
		}
		*seqs = append(slices.Clone(*seqs), seq)
		s.tell(fmt.Sprintf("%s at request %d", what, seq))
	}, n)
}

func (s *classroomScreen) toggleRenewal() tea.Cmd {
	return s.again(func(w *walker) {
		w.inject.NoRenewal = !w.inject.NoRenewal
		s.tell(map[bool]string{true: "workers no longer renew their leases", false: "workers renew their leases"}[w.inject.NoRenewal])
	}, s.class.sent)
}

// needs is what has to be done to a day that does not show a lesson's mistake by
// itself.
var needs = map[string]struct {
	what string
	list func(*replay.Options) *[]int64
}{
	"look-up-first":  {"a race with a twin", func(o *replay.Options) *[]int64 { return &o.RaceAt }},
	"complete-first": {"a crash", func(o *replay.Options) *[]int64 { return &o.CrashAt }},
	"no-fence":       {"a stalled worker", func(o *replay.Options) *[]int64 { return &o.StallAt }},
}

// suggest goes to where the mistake shows. Some need something done to the day:
// then it looks for a request that this has an effect on.
func (s *classroomScreen) suggest() tea.Cmd {
	c := s.class
	if _, needed := needs[c.lesson.Name]; !needed {
		s.tell("it shows with " + c.lesson.Shows)
		if s.whyNoNext() != "" {
			return nil
		}
		return s.runTo(aim{n: c.total, diverge: true})
	}
	session, day, ctx, policy, race := s.session, c.walker.day, c.ctx, s.cfg.Policy, c.lesson.Name == "look-up-first"
	return func() tea.Msg {
		msg := suggestedMsg{of: c}
		if msg.got, msg.err = classroom.Suggest(ctx, day, policy); msg.err != nil {
			return msg
		}
		seq := msg.got.Crash
		if race {
			seq = msg.got.Race
		}
		if seq != 0 {
			msg.pos, msg.err = positionOf(ctx, session, seq)
		}
		return msg
	}
}

func positionOf(ctx context.Context, s Session, seq int64) (int64, error) {
	n, err := s.Position(ctx, seq)
	if err != nil {
		return 0, fmt.Errorf("look up request %d: %w", seq, err)
	}
	return n, nil
}

// suggested starts the lesson over with what it needs, right before the request
// that it is done to. A lease is shortened so that the retry takes over.
func (s *classroomScreen) suggested(msg suggestedMsg) tea.Cmd {
	switch {
	case msg.of != s.class:
		return nil
	case msg.err != nil:
		s.tell(oneLine(msg.err))
		return nil
	case msg.pos == 0:
		s.tell("no request of this day would show it: none that pays is sent twice")
		return nil
	}
	need, seq, lease := needs[msg.of.lesson.Name], msg.got.Crash, ""
	if msg.of.lesson.Name == "look-up-first" {
		seq = msg.got.Race
	}
	cmd := s.again(func(w *walker) {
		w.inject, w.policy = replay.Options{}, s.cfg.Policy
		*need.list(&w.inject) = []int64{seq}
		if msg.got.Gap <= w.policy.Lease && msg.got.Gap > 1 && seq == msg.got.Crash {
			w.policy.Lease = msg.got.Gap / 2
			lease = fmt.Sprintf(", the lease %s, its retry %s later", whatif.SpanText(w.policy.Lease), whatif.SpanText(msg.got.Gap))
		}
	}, msg.pos-1)
	s.tell(fmt.Sprintf("%s at request %d%s", need.what, seq, lease))
	return cmd
}
