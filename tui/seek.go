package tui

import (
	"context"
	"errors"
	"sort"
	"time"

	"idem/analysis/replay"
	"idem/tui/query"
)

// seekTime is how long one seek lets the engine run before it shows how far it
// is: with the reading of the page, that is about 30 pages a second.
const seekTime = 28 * time.Millisecond

// detailTime is how long a page waits for its detail.
const detailTime = 40 * time.Millisecond

// pageRows is how many steps a page has, more than a screen shows.
const pageRows = 128

// seeker goes to a goal and brings the page from there. It runs in a command.
type seeker struct {
	session Session
	player  Player
	goal    goal
	at      int64           // the position on the screen
	halt    context.Context // ends when the run is given up
	marks   marks           // to tell which mark a step gets; not changed
	made    []mark
	filter  query.Query      // of the list
	stops   []breakpoint     // that end the run
	classes map[int64]string // of findings, by seq; nil until they are asked for
}

func (s *seeker) run(ctx context.Context) pageMsg {
	msg := pageMsg{of: s.session, goal: s.goal}
	pos, reached := s.at, false
	err := s.learnClasses(s.halt)
	msg.classes = s.classes
	if err == nil {
		pos, reached, err = s.move(ctx, &msg)
	} else if s.halt.Err() != nil {
		err = ctx.Err() // given up: it stays where it is
	}
	msg.marks = s.made
	if err == nil && pos == 0 && s.goal.find != nil {
		msg.nothing = true
		pos = s.goal.find.from
	}
	msg.reached = reached
	if err == nil {
		msg.page, err = s.read(ctx, pos)
	}
	if err == nil && (reached || msg.nothing) {
		msg.page.detail, err = s.quickDetail(ctx, pos)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		msg.err = err
	}
	return msg
}

// move brings the engine as far as the goal needs and returns the position to
// show. Position 0 of a search means that there is nothing to be found.
func (s *seeker) move(ctx context.Context, msg *pageMsg) (pos int64, reached bool, err error) {
	p, pos := s.player, s.goal.pos
	switch {
	case s.goal.find != nil && !s.goal.find.wants.Empty():
		return s.findWanted(ctx, msg)
	case s.goal.find == nil && len(s.stops) > 0 && pos > s.at:
		return s.runWatched(ctx, msg)
	case s.goal.find != nil:
		if pos, reached, err = s.search(ctx); err != nil || pos == 0 || !reached {
			return pos, reached, err
		}
	}
	if pos > p.Frontier() {
		err = s.advance(ctx, pos, nil)
	}
	shown := min(pos, p.Frontier())
	return shown, shown == pos, err
}

// advance lets the engine run to position n, until its time is over, it is given
// up, or stop says so.
func (s *seeker) advance(ctx context.Context, n int64, stop func(*replay.Step) bool) error {
	end := time.Now().Add(seekTime)
	err := s.player.RunTo(s.halt, n, func(step *replay.Step) bool {
		if m, ok := s.marks.of(step); ok {
			s.made = append(s.made, m)
		}
		return (stop != nil && stop(step)) || !time.Now().Before(end)
	}, nil)
	if s.halt.Err() != nil {
		return ctx.Err()
	}
	return err
}

// search looks up to the frontier first; what lies beyond it is not known yet,
// so there the engine runs until something comes.
func (s *seeker) search(ctx context.Context) (int64, bool, error) {
	p, f := s.player, s.goal.find
	n, err := s.known(ctx, f)
	if err != nil || n > 0 || f.dir == replay.Backward {
		return n, true, err
	}
	if f.text != "" {
		return 0, true, nil // a text is looked for in the log itself
	}
	var hit int64
	err = s.advance(ctx, p.Total(), func(step *replay.Step) bool {
		if (f.until != nil && f.until(step)) || (f.until == nil && matches(f.target, step)) {
			hit = step.N
		}
		return hit != 0
	})
	switch {
	case err != nil:
		return 0, false, err
	case hit != 0:
		return hit, true, nil
	case p.Frontier() >= p.Total():
		return 0, true, nil
	}
	return p.Frontier(), false, nil
}

// known looks among what can be looked up.
func (s *seeker) known(ctx context.Context, f *search) (int64, error) {
	p := s.player
	switch {
	case f.breach:
		b, _ := p.Breach()
		return b.At, nil
	case f.text != "":
		return s.anywhere(ctx, f)
	case f.until != nil:
		return s.bisect(ctx, f.until)
	}
	return p.Find(ctx, s.at, f.dir, f.target)
}

// anywhere looks for a text from the position on, and then from the beginning
// where that is asked for.
func (s *seeker) anywhere(ctx context.Context, f *search) (int64, error) {
	n, err := s.session.Search(ctx, f.text, s.at, f.dir)
	if n != 0 || err != nil || !f.around || s.at == 0 {
		return n, err
	}
	return s.session.Search(ctx, f.text, 0, replay.Forward)
}

// bisect finds the first known step of which until holds, given that it holds of
// every later one too.
func (s *seeker) bisect(ctx context.Context, until func(*replay.Step) bool) (int64, error) {
	p := s.player
	frontier := p.Frontier()
	var failed error
	i := sort.Search(int(frontier), func(i int) bool {
		step, err := p.Step(ctx, int64(i)+1, frontier)
		if err != nil {
			failed = err
		}
		return err == nil && until(&step)
	})
	if failed != nil || int64(i) >= frontier {
		return 0, failed
	}
	return int64(i) + 1, nil
}

// read reads the page of a position up to the frontier.
func (s *seeker) read(ctx context.Context, pos int64) (g page, err error) {
	p := s.player
	g = page{pos: pos, frontier: p.Frontier(), changed: s.session.Changed()}
	if b, broke := p.Breach(); broke {
		g.breach = &b
	}
	if g.sums, err = p.Counters(ctx, pos); err != nil || pos == 0 {
		return g, err
	}
	return g, s.list(ctx, &g)
}

// quickDetail is the detail of a position where it comes soon enough to be part
// of the page; nil where it takes longer, as in a day of millions of rows.
func (s *seeker) quickDetail(ctx context.Context, pos int64) (*replay.Detail, error) {
	if pos == 0 {
		return nil, nil
	}
	soon, cancel := context.WithTimeout(ctx, detailTime)
	defer cancel()
	detail, err := s.player.Detail(soon, pos)
	if err != nil && soon.Err() != nil {
		return nil, ctx.Err()
	}
	return &detail, err
}
