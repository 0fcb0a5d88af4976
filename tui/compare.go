package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/compare"
	"idem/analysis/replay"
	"idem/analysis/whatif"
	"idem/engine"
	"idem/tui/rows"
)

// compareScreen shows the day on two sides, request by request: what was recorded
// beside the policy of the replay, or that beside another policy.
type compareScreen struct {
	*desk
	policies bool // both sides are policies
	other    whatif.Case
	table    *compare.Table
	work     *task
	err      error

	least  compare.Difference // what counts as one
	only   bool               // rows that differ are shown alone
	window rows.Window        // of the rows, or of those that differ
	page   comparePage
	busy   bool // a page is on its way

	tableTop int // line of the first row in the last view
}

// comparePage are the rows that are shown, and some around them. It is read by
// one command, and replaced as a whole.
type comparePage struct {
	of    *compare.Table
	only  bool
	least compare.Difference
	from  int // index of the first one in the list
	rows  []compareRow
}

// compareRow is a request on both sides, with what the log has of it.
type compareRow struct {
	compare.Pair
	at                    time.Time
	client, endpoint, key string
}

type (
	comparePageMsg struct {
		page comparePage
		err  error
	}
	// besideMsg asks for the replay's policy beside another one.
	besideMsg struct{ other whatif.Case }
)

func newCompareScreen(d *desk) *compareScreen {
	s := &compareScreen{desk: d, work: new(task)}
	s.reset()
	return s
}

func (s *compareScreen) reset() {
	s.work.stop()
	*s = compareScreen{desk: s.desk, work: s.work, least: compare.Answer, other: whatif.Presets()[0]}
}

func (s *compareScreen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		s.reset() // the files of its table go with their session
	case besideMsg:
		return s.against(msg.other)
	case beatMsg:
		return s.work.beat(msg)
	case taskMsg:
		return s.took(msg)
	case comparePageMsg:
		return s.turn(msg)
	}
	return nil
}

// shown compares the first time that this is wanted, and fills a screen that has
// become higher.
func (s *compareScreen) shown() tea.Cmd {
	if s.table == nil {
		return s.compute()
	}
	return s.read()
}

// sides are what is compared.
func (s *compareScreen) sides() [2]compare.Side {
	own := whatif.Case{Name: "this policy", Policy: s.cfg.Policy}
	if !s.policies {
		return compare.Default(own.Name, own.Policy)
	}
	return [2]compare.Side{compare.Under(own), compare.Under(s.other)}
}

// current reports whether the table is that of the sides that are wanted.
func (s *compareScreen) current() bool {
	if s.table == nil {
		return false
	}
	for i, want := range s.sides() {
		have := s.table.Sides[i]
		if have.Recorded != want.Recorded || (!want.Recorded && have.Policy.Hash() != want.Policy.Hash()) {
			return false
		}
	}
	return true
}

// compute replays the day for the two sides.
func (s *compareScreen) compute() tea.Cmd {
	if s.session == nil || s.work.busy {
		return nil
	}
	s.err = nil
	session, sides := s.session, s.sides()
	return s.work.start(s.ctx, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		return session.Compare(ctx, sides, progress)
	})
}

// took takes a table in. One that nobody wants any more is closed.
func (s *compareScreen) took(msg taskMsg) tea.Cmd {
	if msg.of != s.work {
		return nil
	}
	table, made := msg.got.(*compare.Table)
	if !s.work.took(msg) {
		if !made || table == nil {
			return nil
		}
		return drop(table)
	}
	if s.err = msg.err; s.err != nil {
		return nil
	}
	pos := s.position()
	old := s.table
	s.table, s.page = table, comparePage{}
	s.window.SetLen(s.length())
	cmds := []tea.Cmd{s.goTo(pos)}
	if old != nil {
		cmds = append(cmds, drop(old))
	}
	return tea.Batch(cmds...)
}

// drop removes a table's files. What cannot be removed goes with the session's
// folder.
func drop(t *compare.Table) tea.Cmd {
	return func() tea.Msg {
		_ = t.Close()
		return nil
	}
}

// change compares something else, from the same position.
func (s *compareScreen) change() tea.Cmd {
	s.work.stop()
	return s.compute()
}

// against compares the replay's policy with another one.
func (s *compareScreen) against(other whatif.Case) tea.Cmd {
	s.policies, s.other = true, other
	return s.change()
}

// turnSides goes from the recorded side to another policy, or back.
func (s *compareScreen) turnSides() tea.Cmd {
	s.policies = !s.policies
	return s.change()
}

// nextPolicy takes the published policy that comes d places after the other one.
func (s *compareScreen) nextPolicy(d int) tea.Cmd {
	list := published()
	at := 0
	for i := range list {
		if list[i].Name == s.other.Name {
			at = i
		}
	}
	return s.against(list[(at+d+len(list))%len(list)])
}

func (s *compareScreen) askPolicy() {
	base := s.cfg.Policy
	parse := func(text string) (engine.Policy, error) { return whatif.ParseChanges(text, base) }
	s.ask(asking{
		label: "this policy but knob=value,…",
		check: func(text string) error {
			if text == "" {
				return nil
			}
			_, err := parse(text)
			return err
		},
		enter: func(text string) tea.Cmd {
			p, err := parse(text)
			if text == "" || err != nil {
				return nil
			}
			return s.against(whatif.Case{Name: text, Policy: p})
		},
	})
}

// length is how many rows the list has.
func (s *compareScreen) length() int {
	switch {
	case s.table == nil:
		return 0
	case s.only:
		return int(s.table.Count(s.least))
	}
	return int(s.table.Total)
}

// position is the request under the cursor; 0 for none.
func (s *compareScreen) position() int64 {
	switch {
	case s.window.Len() == 0 || s.table == nil:
		return 0
	case s.only:
		return s.table.Nth(int64(s.window.Cursor())+1, s.least)
	}
	return int64(s.window.Cursor()) + 1
}

// goTo puts the cursor on a position, or on the nearest row before it that is shown.
func (s *compareScreen) goTo(n int64) tea.Cmd {
	if s.table == nil {
		return nil
	}
	n = max(1, min(n, s.table.Total))
	if s.only {
		n = s.table.Rank(n, s.least)
	}
	s.window.To(int(n - 1))
	return s.read()
}

// jump goes to a row that differs.
func (s *compareScreen) jump(from int64, dir replay.Direction) tea.Cmd {
	if n := s.table.Next(from, dir, s.least); n != 0 {
		return s.goTo(n)
	}
	s.tell("no difference " + map[replay.Direction]string{replay.Forward: "after ", replay.Backward: "before "}[dir] + number(from))
	return nil
}

// relist keeps the cursor on its request while the list changes.
func (s *compareScreen) relist(change func()) tea.Cmd {
	n := s.position()
	change()
	s.page = comparePage{}
	s.window.SetLen(s.length())
	return s.goTo(n)
}

// row is the request under the cursor; nil until it has been read.
func (s *compareScreen) row() *compareRow { return s.at(s.window.Cursor()) }

func (s *compareScreen) at(i int) *compareRow {
	if i -= s.page.from; s.page.of != s.table || i < 0 || i >= len(s.page.rows) {
		return nil
	}
	return &s.page.rows[i]
}

func (s *compareScreen) toReplay() tea.Cmd {
	pos := s.position()
	s.enter(replayRoom)
	return func() tea.Msg { return seekMsg{pos} }
}

func (s *compareScreen) back() (tea.Cmd, bool) {
	switch {
	case s.work.stop():
		s.tell("given up; space compares again")
		return nil, true
	case s.only:
		return s.relist(func() { s.only = false }), true
	}
	return nil, false
}

func (s *compareScreen) wheel(d int) tea.Cmd {
	s.window.Move(d)
	return s.read()
}

func (s *compareScreen) click(_, y int) tea.Cmd {
	if row, ok := s.window.At(y - s.tableTop); ok {
		s.window.To(row)
	}
	return s.read()
}
