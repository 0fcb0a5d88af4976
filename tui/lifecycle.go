package tui

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis"
	"idem/analysis/replay"
	"idem/tui/cells"
)

// What commands find about the incident. Each says which session it is about,
// so that an answer about one that was closed meanwhile is dropped.
type (
	openedMsg struct {
		session Session
		err     error
	}
	// keptMsg says that another incident could not be opened; the old one still is.
	keptMsg struct {
		was Config
		err error
	}
	// readyMsg says that the replay is prepared, and so the requests are counted.
	readyMsg struct {
		of     Session
		player Player
		err    error
	}
	evidenceMsg struct {
		of  Session
		got analysis.Evidence
		err error
	}
	foundMsg struct {
		of  Session
		got *analysis.Duplicates
		err error
	}
	loadMsg struct {
		of  Session
		got analysis.Timeline
		err error
	}
	resultMsg struct {
		of  Session
		got replay.Result
		err error
	}
	wroteMsg struct {
		of    Session
		names []string
		stale []string
		err   error
	}
	obstacleMsg struct {
		of  Session
		err error
	}
	countMsg struct{ of Session }
	watchMsg struct {
		of      Session
		changed bool
	}
	endMsg struct {
		code int
		err  error
	}
)

// loadBuckets is into how many slices the day is cut.
const loadBuckets = 64

const (
	watchEvery = 3 * time.Second // the file is looked at from outside
	countEvery = 100 * time.Millisecond
)

// end leaves the app.
func end(code int, err error) tea.Cmd {
	return func() tea.Msg { return endMsg{code, err} }
}

// took takes in a message about the incident and says what to find out next.
func (d *desk) took(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		return d.opened(msg)
	case columnsMsg:
		d.tookColumns(msg)
	case watchMsg:
		d.changed = d.changed || (msg.of == d.session && msg.changed)
		return d.watch()
	case readyMsg:
		if msg.of == d.session && d.keep(msg.err) {
			d.player = msg.player
		}
	case evidenceMsg:
		if msg.of == d.session && d.keep(msg.err) {
			d.evidence = &msg.got
		}
	case foundMsg:
		if msg.of == d.session && d.keep(msg.err) {
			d.found = msg.got
		}
		return d.afterFound(msg)
	case loadMsg:
		if msg.of == d.session && d.keep(msg.err) {
			d.load = &msg.got
		}
		return d.afterLoad(msg)
	case countMsg:
		if msg.of == d.session && d.found == nil && d.partErr == nil {
			return countTick(msg.of)
		}
	case keptMsg:
		d.opening = false
		d.cfg.File, d.cfg.Open, d.cfg.Narrow = msg.was.File, msg.was.Open, msg.was.Narrow
		d.tell("not opened: " + oneLine(msg.err))
	case obstacleMsg:
		if msg.of == d.session && msg.err != nil {
			d.tell("the files will find no place: " + oneLine(msg.err))
		}
	case resultMsg:
		return d.tookResult(msg)
	case wroteMsg:
		d.tookFiles(msg)
	}
	return nil
}

// keep reports whether there is an answer; what failed is told on the screen.
func (d *desk) keep(err error) bool {
	if err != nil && !errors.Is(err, context.Canceled) {
		d.partErr = err
	}
	return err == nil
}

func (d *desk) opened(msg openedMsg) tea.Cmd {
	d.opening = false
	d.forget()
	d.session, d.openErr = msg.session, msg.err
	if msg.err != nil {
		return nil
	}
	s, ctx, counted, dir := msg.session, d.ctx, new(meter), d.cfg.OutDir
	d.counted = counted
	return tea.Batch(
		countTick(s),
		func() tea.Msg { return obstacleMsg{s, s.Obstacle(dir)} },
		func() tea.Msg { got, err := s.Duplicates(ctx, counted.set); return foundMsg{s, got, err} },
		func() tea.Msg { got, err := s.Player(ctx); return readyMsg{s, got, err} },
	)
}

// What is wanted less than the sums is asked for after them, one thing after
// the other: each then has the machine and its memory to itself.

func (d *desk) afterFound(msg foundMsg) tea.Cmd {
	s, ctx := msg.of, d.ctx
	if s != d.session || s == nil {
		return nil
	}
	return func() tea.Msg { got, err := s.Timeline(ctx, loadBuckets); return loadMsg{s, got, err} }
}

func (d *desk) afterLoad(msg loadMsg) tea.Cmd {
	s, ctx := msg.of, d.ctx
	if s != d.session || s == nil {
		return nil
	}
	return func() tea.Msg { got, err := s.Evidence(ctx); return evidenceMsg{s, got, err} }
}

// meter is how far the counting is. The command that counts sets it and the
// screen looks at it ten times a second, so that progress never queues up.
type meter struct{ done, total atomic.Int64 }

func (m *meter) set(done, total int64) {
	m.done.Store(done)
	m.total.Store(total)
}

// text is the progress for people.
func (m *meter) text() string {
	if m == nil || m.total.Load() < 1 {
		return "counting…"
	}
	return "counting… " + number(m.done.Load()*100/m.total.Load()) + " %"
}

func countTick(s Session) tea.Cmd {
	return tea.Tick(countEvery, func(time.Time) tea.Msg { return countMsg{s} })
}

func (d *desk) watch() tea.Cmd {
	s := d.session
	return tea.Tick(watchEvery, func(time.Time) tea.Msg {
		return watchMsg{s, s != nil && s.Changed()}
	})
}

func (d *desk) whyNoReopen() string {
	return unless(d.openErr != nil || d.changed || d.partErr != nil, "the incident is open and unchanged")
}

// reopen opens the incident anew.
func (d *desk) reopen() tea.Cmd { return d.openAs(d.cfg) }

// openAs opens what cfg says in place of what is open, and then what was known about
// that goes. Where it cannot be opened, what is open stays.
func (d *desk) openAs(cfg Config) tea.Cmd {
	if d.opening || cfg.Open == nil {
		return nil
	}
	old, was, ctx := d.session, d.cfg, d.ctx
	d.opening, d.cfg = true, cfg
	part := old != nil && cfg.File == was.File && cfg.Narrow != was.Narrow
	return func() tea.Msg {
		// What the path leads to now has no part of what is open.
		if part && old.Changed() {
			return keptMsg{was, errors.New("the file has changed on the disk; r opens it again, and then it can be narrowed")}
		}
		s, err := cfg.Open(ctx, cfg.Narrow)
		switch {
		case old != nil && err != nil:
			return keptMsg{was, err}
		case old != nil:
			err = old.Close()
		}
		return openedMsg{s, err}
	}
}

// openFile opens another incident in place of the one that is open.
func (d *desk) openFile(file string, open func(context.Context, analysis.Filter) (Session, error)) tea.Cmd {
	cfg := d.cfg
	cfg.File, cfg.Open, cfg.Narrow = file, open, analysis.Filter{}
	return d.openAs(cfg)
}

// through is called once the last request has been sent: it takes the day's
// result and then writes the files.
func (d *desk) through() tea.Cmd {
	if d.files.state == busy || d.files.state == done || d.player == nil {
		return nil
	}
	d.files = writing{state: busy}
	s, ctx := d.session, d.ctx
	return func() tea.Msg { got, err := s.Result(ctx); return resultMsg{s, got, err} }
}

func (d *desk) tookResult(msg resultMsg) tea.Cmd {
	if msg.of != d.session {
		return nil
	}
	if msg.err != nil {
		d.files = writing{state: failed, err: msg.err}
		return nil
	}
	d.result = &msg.got
	s, ctx, dir := d.session, d.ctx, d.cfg.OutDir
	d.writers.Add(1)
	return func() tea.Msg {
		defer d.writers.Done()
		names, err := s.Write(ctx, dir)
		if err != nil {
			return wroteMsg{of: s, err: err}
		}
		return wroteMsg{of: s, names: names, stale: s.Stale(dir)}
	}
}

// putDown lets a writer that was given up take back what it has begun. It is not
// waited for long: a signal wants an end, and what a killed program leaves is
// swept by the next one.
func (d *desk) putDown() {
	ended := make(chan struct{})
	go func() { d.writers.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(lastMoments / 4):
	}
}

func (d *desk) tookFiles(msg wroteMsg) {
	switch {
	case msg.of != d.session:
	case msg.err != nil:
		d.files = writing{state: failed, err: msg.err}
	default:
		d.files = writing{state: done, names: msg.names, stale: msg.stale}
	}
}

// closedView is the screen while no incident is open.
func (d *desk) closedView(w, h int) []string {
	text, then := "opening "+show(d.cfg.File, w-12)+" …", ""
	if d.openErr != nil && !d.opening {
		text, then = visible(d.openErr.Error()), "r opens it again · q quits"
	}
	lines := append([]string{""}, cells.Wrap(text, w-4)...)
	lines = append(lines, "", d.theme.dim.Render(then))
	for i, l := range lines {
		lines[i] = "  " + l
	}
	return cells.Block(lines[:min(len(lines), h)], w, h)
}

// oneLine is an error as one line to draw.
func oneLine(err error) string { return visible(strings.TrimSpace(err.Error())) }
