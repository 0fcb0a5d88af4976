package tui

import (
	"context"
	"slices"
	"time"

	"idem/analysis/replay"
)

// nothing says that a search found nothing.
func (f *search) nothing() string {
	switch {
	case f.none != "":
		return f.none
	case f.around:
		return "no " + f.name
	}
	return "no " + f.name + map[bool]string{true: " after ", false: " before "}[f.dir == replay.Forward] + number(f.from)
}

// findWanted goes to the step that a search's query wants. Position 0 says that
// there is none.
func (s *seeker) findWanted(ctx context.Context, msg *pageMsg) (pos int64, reached bool, err error) {
	f := *s.goal.find
	msg.left, msg.last = max(1, f.left), f.last
	match := func(e *entry) bool {
		if !f.wants.Match(e.row()) {
			return false
		}
		msg.left, msg.last = msg.left-1, e.N
		return msg.left == 0
	}
	var ended bool
	if f.dir == replay.Backward {
		pos, reached, err = s.lookBack(ctx, match)
		ended = pos <= 1
	} else {
		pos, reached, err = s.lookAhead(ctx, s.player.Total(), match)
		ended = pos >= s.player.Total()
	}
	if err != nil || reached || !ended {
		return pos, reached, err
	}
	return msg.last, true, nil // fewer than were wanted: the last one, if any
}

// runWatched goes to the goal, or to the first step on the way where a
// breakpoint is.
func (s *seeker) runWatched(ctx context.Context, msg *pageMsg) (pos int64, reached bool, err error) {
	pos, hit, err := s.lookAhead(ctx, s.goal.pos, func(e *entry) bool {
		i := slices.IndexFunc(s.stops, func(b breakpoint) bool { return b.query.Match(e.row()) })
		if i >= 0 {
			msg.broke = s.stops[i].query.Text()
		}
		return i >= 0
	})
	return pos, hit || pos == s.goal.pos, err
}

// lookAhead looks at the steps from the position on, up to limit, and lets the
// engine run where it has not been yet. It returns the first that matches, or
// how far it came: to the limit, or until its time was over or it was given up.
func (s *seeker) lookAhead(ctx context.Context, limit int64, match func(*entry) bool) (at int64, hit bool, err error) {
	limit = min(limit, s.player.Total())
	end := time.Now().Add(seekTime)
	for at = s.at; at < limit; {
		var stuck bool
		if at, hit, stuck, err = s.lookAt(ctx, at, limit, match); err != nil || hit {
			return at, hit, err
		}
		if s.halt.Err() != nil || !time.Now().Before(end) {
			return at, false, ctx.Err()
		}
		if frontier := s.player.Frontier(); stuck || (at == frontier && at < limit) {
			if err = s.advance(ctx, frontier+lookRows/4, nil); err != nil {
				return at, false, err
			}
		}
	}
	return at, false, nil
}

// lookAt looks at the known steps after at. It is stuck at one that still runs:
// what becomes of it, the engine has yet to tell.
func (s *seeker) lookAt(ctx context.Context, at, limit int64, match func(*entry) bool) (now int64, hit, stuck bool, err error) {
	frontier := s.player.Frontier()
	to := min(limit, frontier, at+lookRows)
	if to <= at {
		return at, false, false, nil
	}
	list, _, err := s.entries(ctx, at+1, to, frontier)
	for i := range list {
		if list[i].Class == replay.Running && frontier < s.player.Total() {
			return at, false, true, nil
		}
		at = list[i].N
		if match(&list[i]) {
			return at, true, false, nil
		}
	}
	return at, false, false, err
}

// lookBack is lookAhead in the other direction, where everything is known.
func (s *seeker) lookBack(ctx context.Context, match func(*entry) bool) (at int64, hit bool, err error) {
	end := time.Now().Add(seekTime)
	for at = s.at; at > 1; {
		list, _, err := s.entries(ctx, max(1, at-lookRows), at-1, s.player.Frontier())
		if err != nil {
			return at, false, err
		}
		for i := range slices.Backward(list) {
			at = list[i].N
			if match(&list[i]) {
				return at, true, nil
			}
		}
		if len(list) == 0 || s.halt.Err() != nil || !time.Now().Before(end) {
			return at, false, ctx.Err()
		}
	}
	return at, false, nil
}
