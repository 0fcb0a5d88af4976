package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/replay"
	"idem/tui/query"
	"idem/tui/rows"
)

// replayScreen is the day sent through the engine. Where one is, is a number:
// every key only says where one wants to be, and one command at a time brings
// the page from there.
type replayScreen struct {
	*desk
	page    page               // what is shown
	want    goal               // where to go
	busy    bool               // a command is on its way
	stale   bool               // the page is of another filter
	halt    context.CancelFunc // gives up what that command still runs
	asked   bool               // another one looks for the page's detail
	marks   marks
	sieve   sieve
	stops   stops
	left    int64            // where the last jump began
	classes map[int64]string // of the findings, by seq; nil until a query asks for them
	notes   journal
	rank    ranking
	ranked  *ranking // how to sort once one is where the workbench begins
	err     error

	playing  bool
	detached bool // moved away from a playback or a run, which F follows again
	timed    bool // by the log's own time
	mute     bool // outcomes are not explained
	speed    int  // index into speeds
	ticks    int  // number of the playback whose ticks count

	open   bool // the step's detail has the whole screen
	scroll rows.Window
	list   pane
	widths stepWidths // of the list
	railY  int        // line of the rail in the last view
	listY  int        // line of the first step
}

// page is everything shown about a position. It is made by one command, so that
// its parts always agree.
type page struct {
	pos      int64
	frontier int64
	at       entry          // the step at pos; empty at position 0
	steps    []entry        // the last ones up to pos that the filter lets through
	since    int64          // the first position that was looked at for them
	next     time.Time      // when the request after pos was received; zero when unknown
	detail   *replay.Detail // nil at position 0, and where it has yet to come
	sums     replay.Counters
	breach   *replay.Breach // the first invariant that broke; nil for none
	changed  bool           // the file is no longer the one that was opened
}

// goal is a position, or the nearest one with a property. A run is a goal that
// any key gives up; a step is not, so that keys typed ahead all count.
type goal struct {
	pos  int64
	run  bool
	find *search

	unstopped bool // by breakpoints
}

// search is what a find key looks for.
type search struct {
	from   int64 // where it began, to go back to when there is nothing
	dir    replay.Direction
	target replay.Target
	until  func(*replay.Step) bool // instead of target: stops the engine at a step
	breach bool                    // the step at which an invariant broke, wherever it is
	text   string                  // instead of target: part of a request's key, client or endpoint
	around bool                    // of a text: look from the beginning, too
	wants  query.Query             // instead of target, unless it is empty
	left   int64                   // how many such steps are still to be passed, the goal included
	last   int64                   // the last one that was
	name   string
	none   string // what to say when there is nothing; "" for the usual
}

type (
	// seekMsg asks the replay to go to a position.
	seekMsg struct{ pos int64 }
	// tickMsg is one beat of a playback.
	tickMsg struct{ playback int }
	// pageMsg is what a seek found. Reached is false when its time was over
	// before it got there.
	pageMsg struct {
		of      Session
		goal    goal
		page    page
		reached bool
		nothing bool  // nothing was found
		left    int64 // of the search
		last    int64
		broke   string           // the breakpoint that ended the run
		classes map[int64]string // of findings, where they were learned
		marks   []mark
		err     error
	}
)

// detailMsg is a detail that came after its page.
type detailMsg struct {
	of  Session
	pos int64
	got replay.Detail
	err error
}

func newReplayScreen(d *desk) *replayScreen {
	return &replayScreen{desk: d, speed: startSpeed, halt: func() {}, rank: ranking{work: new(task)}}
}

func (r *replayScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		r.halt()
		r.closeRanking()
		*r = replayScreen{desk: r.desk, speed: r.speed, ticks: r.ticks + 1, halt: func() {}, timed: r.timed, mute: r.mute, sieve: r.sieve, rank: r.rank,
			stops: r.stops, notes: journal{book: r.notes.book.OnlyStops()}}
	case beatMsg:
		return r.rank.work.beat(msg)
	case taskMsg:
		return r.tookRanking(msg)
	case rankedRowsMsg:
		return r.tookRankedRows(msg)
	case evidenceMsg:
		if msg.of == r.session && msg.err == nil {
			return r.loadNotes()
		}
	case notesMsg:
		return r.tookNotes(msg)
	case toldMsg:
		r.tell(msg.line)
	case readyMsg:
		return r.begin(msg)
	case seekMsg:
		r.stop()
		return r.runTo(msg.pos)
	case tickMsg:
		return r.tick(msg)
	case suspendMsg:
		r.stop()
	case pageMsg:
		return tea.Batch(r.turn(msg), r.askDetail())
	case detailMsg:
		return r.tookDetail(msg)
	}
	return nil
}

func (r *replayScreen) shown() tea.Cmd { return nil }

// begin goes to where one wanted to be while the replay was being prepared.
func (r *replayScreen) begin(msg readyMsg) tea.Cmd {
	if msg.of != r.session {
		return nil
	}
	if r.err = msg.err; r.err != nil {
		return nil
	}
	total, _ := r.total()
	r.marks = newMarks(total)
	r.want.pos = min(r.want.pos, total)
	return r.seek()
}

// goTo wants position n, or the nearest there is.
func (r *replayScreen) goTo(n int64) tea.Cmd {
	total, _ := r.total()
	r.want = goal{pos: max(0, min(n, total))}
	return r.seek()
}

// runTo is goTo for what may be far away.
func (r *replayScreen) runTo(n int64) tea.Cmd {
	total, _ := r.total()
	r.left = r.page.pos
	r.want = goal{pos: max(0, min(n, total)), run: true}
	return r.seek()
}

// step stops playback and goes d steps from where one wants to be, which is not
// yet where one is while a key is held down. Out of a run it goes on from what
// is on the screen.
func (r *replayScreen) step(d int64) tea.Cmd {
	if !r.sieve.now().Empty() {
		return r.stepShown(d)
	}
	r.detached = r.stop() || r.detached
	return r.goTo(r.want.pos + d)
}

// stop ends playback, a run or a search where the screen is; false when none was on.
func (r *replayScreen) stop() bool {
	on := r.playing || r.running()
	r.playing = false
	r.ticks++
	if on {
		r.want, r.ranked = goal{pos: r.page.pos}, nil
		r.halt()
	}
	return on
}

// running reports whether a run or a search is on.
func (r *replayScreen) running() bool {
	return r.want.find != nil || (r.want.run && r.want.pos != r.page.pos)
}

// find looks for something from the position on.
func (r *replayScreen) find(s search) tea.Cmd {
	r.stop()
	s.from = r.page.pos
	if s.wants.Empty() { // a step over hidden ones is no jump
		r.left = r.page.pos
	}
	r.want = goal{pos: r.page.pos, find: &s}
	return r.seek()
}

// seek brings the wanted page, unless a command is on its way: then the page it
// brings is compared with what is wanted by that time.
func (r *replayScreen) seek() tea.Cmd {
	if r.player == nil || r.busy {
		return nil
	}
	r.busy, r.stale = true, false
	ctx, halt := context.WithCancel(r.ctx)
	r.halt = halt
	s := seeker{session: r.session, player: r.player, goal: r.want, at: r.page.pos, halt: ctx, marks: r.marks, filter: r.sieve.now(), classes: r.classes}
	if r.playing || (r.want.run && !r.want.unstopped) {
		s.stops = r.stops.enabled()
	}
	outer := r.ctx
	return func() tea.Msg {
		defer halt()
		return s.run(outer)
	}
}

// turn shows a page that lies on the way to where one wants to be; one that was
// asked for before one changed one's mind is dropped.
func (r *replayScreen) turn(msg pageMsg) tea.Cmd {
	if msg.of != r.session {
		return nil
	}
	r.busy = false
	r.marks.add(msg.marks)
	if msg.classes != nil {
		r.classes = msg.classes
	}
	if msg.err != nil {
		r.err = msg.err
		r.keep(msg.err)
		r.stop()
		r.want = goal{pos: r.page.pos}
		return nil
	}
	r.err = nil
	r.changed = r.changed || msg.page.changed
	cmds := []tea.Cmd{r.arrive(msg)}
	r.page.frontier = max(r.page.frontier, msg.page.frontier)
	if total, _ := r.total(); r.page.frontier >= total && (total > 0 || r.page.pos > 0) && r.files.state == idle {
		cmds = append(cmds, r.through())
	}
	if k := r.ranked; k != nil && !r.busy {
		r.ranked = nil
		cmds = append(cmds, r.rankBy(k.by, k.down))
	}
	return tea.Batch(cmds...)
}

// askDetail looks for the detail that the page has come without, once nothing
// moves and no other one is being looked for.
func (r *replayScreen) askDetail() tea.Cmd {
	if r.player == nil || r.asked || r.busy || r.page.detail != nil || r.page.pos == 0 || r.err != nil {
		return nil
	}
	r.asked = true
	s, p, ctx, pos := r.session, r.player, r.ctx, r.page.pos
	return func() tea.Msg {
		got, err := p.Detail(ctx, pos)
		return detailMsg{s, pos, got, err}
	}
}

func (r *replayScreen) tookDetail(msg detailMsg) tea.Cmd {
	if msg.of != r.session {
		return nil
	}
	r.asked = false
	if r.page.pos == msg.pos && r.page.detail == nil {
		if r.err = msg.err; msg.err == nil {
			r.page.detail = &msg.got
		}
		return nil
	}
	return r.askDetail()
}

// arrive takes the page in and says where to go from there.
func (r *replayScreen) arrive(msg pageMsg) tea.Cmd {
	same := msg.goal.find == r.want.find
	switch {
	case same && msg.nothing:
		r.tell(msg.goal.find.nothing())
		return r.goTo(msg.goal.find.from)
	case same && r.want.find != nil:
		r.page = msg.page
		if msg.reached {
			r.want = goal{pos: msg.page.pos}
			return nil
		}
		further := *r.want.find
		further.left, further.last = msg.left, msg.last
		r.want.find = &further
		return r.seek()
	case r.want.find == nil && between(r.page.pos, msg.page.pos, r.want.pos):
		r.page = msg.page
		if msg.broke != "" && (r.playing || r.want.run) {
			r.stop()
			r.want = goal{pos: r.page.pos}
			r.tell("stopped by breakpoint " + show(msg.broke, 60))
			return nil
		}
	}
	if r.want.find != nil || r.page.pos != r.want.pos || r.stale {
		return r.seek()
	}
	switch total, _ := r.total(); {
	case r.playing && r.page.pos >= total:
		r.stop()
	case r.playing && r.timedNow():
		return r.beat()
	}
	return nil
}

// between reports whether p is on the way from a to b, both included.
func between(a, p, b int64) bool { return min(a, b) <= p && p <= max(a, b) }

func (r *replayScreen) back() (tea.Cmd, bool) {
	switch {
	case r.covered():
		r.open, r.stops.open, r.notes.open = false, false, false
		r.closeRanking()
		return nil, true
	case r.sieve.text() != "":
		return r.filtered(""), true
	}
	return nil, false
}

// covered reports whether something else has the screen.
func (r *replayScreen) covered() bool {
	return r.open || r.stops.open || r.notes.open || r.rank.open
}
