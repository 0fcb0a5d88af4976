package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/replay"
	"idem/tui/cells"
	"idem/tui/column"
	"idem/tui/rows"
)

// ranking is the steps sent so far in another order than the day's. A day may be
// of any length, so a part of them is held, and more of them come part by part.
type ranking struct {
	open   bool
	by     int // index into rankings
	down   bool
	part   replay.Part
	before int64 // how many are ranked before the part
	work   *task
	err    error
	window rows.Window // over the part

	shown []entry // some of the part's steps, from index from on
	from  int
	busy  bool // some are on their way
	run   int  // number of the part
}

// rankings are the columns of the list that steps can be sorted by. Number and
// time are the day's own order.
var rankings = []struct {
	name   string
	by     replay.By
	down   bool // the direction it starts with
	column int
}{
	{"v1 moved", replay.ByV1, true, 8},
	{"engine", replay.ByEngine, true, 7},
	{"outcome", replay.ByOutcome, true, 5},
	{"code", replay.ByStatus, true, 6},
	{"client", replay.ByClient, false, 3},
	{"key", replay.ByKey, false, 4},
}

// rankedAtOnce is how many steps one pass over the day gives.
const rankedAtOnce = 4096

type (
	// rankedPart is a part with where it is.
	rankedPart struct {
		replay.Part
		at rankPlace
	}
	// rankPlace is which part of a ranking is wanted.
	rankPlace uint8
	// rankedRowsMsg are some of a part's steps.
	rankedRowsMsg struct {
		of   Session
		run  int
		from int
		rows []entry
		err  error
	}
)

const (
	rankTop rankPlace = iota
	rankNext
	rankPrevious
	rankEnd
)

func (r *replayScreen) openRanking() tea.Cmd { return r.rankBy(0, rankings[0].down) }

func (r *replayScreen) rankBy(by int, down bool) tea.Cmd {
	r.stop()
	k := &r.rank
	k.open, k.by, k.down = true, by, down
	return r.loadRanking(rankTop)
}

// nextRanking sorts by the next column, or turns the order round.
func (r *replayScreen) nextRanking() tea.Cmd {
	r.rank.by = (r.rank.by + 1) % len(rankings)
	r.rank.down = rankings[r.rank.by].down
	return r.loadRanking(rankTop)
}

func (r *replayScreen) turnRanking() tea.Cmd {
	r.rank.down = !r.rank.down
	return r.loadRanking(rankTop)
}

func (r *replayScreen) closeRanking() {
	r.rank.work.stop()
	r.rank = ranking{work: r.rank.work, run: r.rank.run + 1}
}

// loadRanking looks for a part of the ranking.
func (r *replayScreen) loadRanking(at rankPlace) tea.Cmd {
	k := &r.rank
	want := replay.Ranking{By: rankings[k.by].by, Down: k.down, Limit: rankedAtOnce, Back: at == rankPrevious || at == rankEnd}
	if n := len(k.part.Steps); n > 0 {
		switch at {
		case rankNext:
			want.After = &k.part.Steps[n-1]
		case rankPrevious:
			want.After = &k.part.Steps[0]
		}
	}
	k.err = nil
	s := seeker{session: r.session, player: r.player, filter: r.sieve.now(), classes: r.classes}
	if !s.filter.Empty() {
		want.Keep = s.keep
	}
	return k.work.start(r.ctx, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		want.Progress = progress
		if err := s.learnClasses(ctx); err != nil {
			return nil, err
		}
		part, err := s.player.Rank(ctx, want)
		return rankedPart{part, at}, err
	})
}

// keep says which steps of a range the filter lets through.
func (s *seeker) keep(ctx context.Context, from, to int64) (func(n int64) bool, error) {
	list, _, err := s.entries(ctx, from, to, s.player.Frontier())
	if err == nil {
		list, err = s.sifted(ctx, list)
	}
	kept := make(map[int64]bool, len(list))
	for i := range list {
		kept[list[i].N] = true
	}
	return func(n int64) bool { return kept[n] }, err
}

// tookRanking takes a part in. A part without steps is that beyond an end.
func (r *replayScreen) tookRanking(msg taskMsg) tea.Cmd {
	k := &r.rank
	if !k.work.took(msg) {
		return nil
	}
	if k.err = msg.err; k.err != nil {
		return nil
	}
	got := msg.got.(rankedPart)
	n := int64(len(got.Steps))
	if n == 0 && got.at != rankTop {
		return nil
	}
	cursor := 0
	switch got.at {
	case rankTop:
		k.before = 0
	case rankNext:
		k.before += int64(len(k.part.Steps))
	case rankPrevious:
		k.before, cursor = max(0, k.before-n), int(n)-1
	case rankEnd:
		k.before, cursor = got.Of-n, int(n)-1
	}
	k.part, k.shown, k.run = got.Part, nil, k.run+1
	k.window.SetLen(int(n))
	k.window.To(cursor)
	return r.readRanking()
}

// readRanking reads the steps around the cursor, unless they are there or on
// their way.
func (r *replayScreen) readRanking() tea.Cmd {
	k := &r.rank
	at, span := k.window.Cursor(), max(1, r.height)
	from, to := max(0, at-span), min(len(k.part.Steps), at+span)
	if k.busy || from >= to || (k.from <= from && to <= k.from+len(k.shown)) {
		return nil
	}
	k.busy = true
	steps, run, ctx := k.part.Steps[from:to], k.run, r.ctx
	s := seeker{session: r.session, player: r.player}
	return func() tea.Msg {
		list, err := s.ranked(ctx, steps)
		return rankedRowsMsg{s.session, run, from, list, err}
	}
}

// ranked are steps with their requests, which lie anywhere in the day.
func (s *seeker) ranked(ctx context.Context, steps []replay.Ranked) (list []entry, err error) {
	for _, step := range steps {
		one, _, err := s.entries(ctx, step.N, step.N, s.player.Frontier())
		if err != nil || len(one) == 0 {
			return list, err
		}
		list = append(list, one...)
	}
	return list, nil
}

func (r *replayScreen) tookRankedRows(msg rankedRowsMsg) tea.Cmd {
	k := &r.rank
	if msg.of != r.session {
		return nil
	}
	k.busy = false
	if msg.run == k.run {
		if k.err = msg.err; k.err != nil || len(msg.rows) == 0 {
			return nil
		}
		k.shown, k.from = msg.rows, msg.from
	}
	return r.readRanking()
}

// moveRanking moves the cursor by d steps, into another part where this one ends.
func (r *replayScreen) moveRanking(d int) tea.Cmd {
	k := &r.rank
	switch at := k.window.Cursor(); {
	case k.work.busy:
		return nil
	case d > 0 && at == k.window.Len()-1 && k.before+int64(k.window.Len()) < k.part.Of:
		return r.loadRanking(rankNext)
	case d < 0 && at == 0 && k.before > 0:
		return r.loadRanking(rankPrevious)
	}
	k.window.Move(d)
	return r.readRanking()
}

// endRanking goes to the first or the last step of the ranking.
func (r *replayScreen) endRanking(last bool) tea.Cmd {
	k := &r.rank
	switch {
	case last && k.before+int64(k.window.Len()) < k.part.Of:
		return r.loadRanking(rankEnd)
	case !last && k.before > 0:
		return r.loadRanking(rankTop)
	}
	k.window.To(map[bool]int{true: k.window.Len() - 1}[last])
	return r.readRanking()
}

func (r *replayScreen) rankingKeys() []binding {
	k := &r.rank
	none := unless(k.window.Len() > 0, "no step is ranked")
	half := max(1, r.height/3)
	move := func(d int) func() tea.Cmd { return func() tea.Cmd { return r.moveRanking(d) } }
	end := func(last bool) func() tea.Cmd { return func() tea.Cmd { return r.endRanking(last) } }
	return []binding{
		{keys: []string{"j", "down"}, name: "j ↓", help: "next row", why: none, do: move(1)},
		{keys: []string{"k", "up"}, name: "k ↑", help: "previous row", why: none, do: move(-1)},
		{keys: []string{"ctrl+d", "pgdown"}, name: "ctrl+d", help: "half a screen down", why: none, do: move(half)},
		{keys: []string{"ctrl+u", "pgup"}, name: "ctrl+u", help: "half a screen up", why: none, do: move(-half)},
		{keys: []string{"g", "home"}, name: "g", help: "first row", why: none, do: end(false)},
		{keys: []string{"G", "end"}, name: "G", help: "last row", why: none, do: end(true)},
		{keys: []string{"enter"}, name: "enter", help: "go to the step", hint: "go", why: none, do: r.toRanked},
		{keys: []string{"s"}, name: "s", help: "sort by " + rankings[(k.by+1)%len(rankings)].name, hint: "sort", do: r.nextRanking},
		{keys: []string{"S"}, name: "S", help: "sort the other way round", hint: "turn", do: r.turnRanking},
		{keys: []string{"esc"}, name: "esc", help: "back to the day's own order", hint: "close", do: act(r.closeRanking)},
	}
}

// toRanked goes to the step under the cursor.
func (r *replayScreen) toRanked() tea.Cmd {
	n := r.rank.part.Steps[r.rank.window.Cursor()].N
	r.closeRanking()
	return r.runTo(n)
}

func (r *replayScreen) rankingView(w, h int) []string {
	k := &r.rank
	lines := []string{r.rankingHead(w)}
	if k.err != nil {
		lines = append(lines, r.theme.failure.Render(cells.Cut(" "+oneLine(k.err)+" · s sorts again", w)))
	}
	k.window.SetHeight(h - len(lines) - 1)
	from, to := k.window.Range()
	columns := new(stepWidths).columns(k.shown)
	by := &columns[rankings[k.by].column]
	by.Title += map[bool]string{true: " ▼", false: " ▲"}[k.down]
	by.Min, by.Drop = max(by.Min, column.Widest(by.Title)), 0
	l := column.Fit(r.picked("replay", columns), 2, w-1)
	lines = append(lines, " "+r.theme.title.Render(l.Header()))
	for i := from; i < to; i++ {
		if at := i - k.from; at >= 0 && at < len(k.shown) {
			lines = append(lines, r.stepRow(l, &k.shown[at], i == k.window.Cursor()))
			continue
		}
		lines = append(lines, " "+l.Row([]string{"", "…"}, nil))
	}
	if k.window.Len() == 0 && !k.work.busy {
		text := "no step to sort; n on the replay screen sends requests"
		if !r.sieve.now().Empty() {
			text = "the filter hides every step; esc, then f lifts it"
		}
		lines = append(lines, "   "+r.theme.dim.Render(text))
	}
	return cells.Block(lines, w, h)
}

// rankingHead says what is sorted, which part of it is shown, and what is hidden.
func (r *replayScreen) rankingHead(w int) string {
	k := &r.rank
	text := " Steps by " + rankings[k.by].name
	if k.work.busy {
		return r.theme.notice.Render(cells.Cut(text+" · "+k.work.text("sorting")+" · esc gives up", w))
	}
	if n := int64(k.window.Len()); n > 0 {
		text += fmt.Sprintf(" · %s of %s sent so far", number(k.before+int64(k.window.Cursor())+1), many(k.part.Of, "step", "steps"))
	}
	if hidden := k.part.Seen - k.part.Of; hidden > 0 {
		text += fmt.Sprintf(" · %s hidden by the filter", number(hidden))
	}
	return r.theme.notice.Render(cells.Cut(text, w))
}
