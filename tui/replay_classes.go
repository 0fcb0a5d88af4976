package tui

import (
	"context"

	"idem/tui/query"
)

// learnClasses looks for the findings, once, where something asks for their classes.
func (s *seeker) learnClasses(ctx context.Context) error {
	if s.classes != nil || !s.uses(query.Class) {
		return nil
	}
	found, err := s.session.Findings(ctx, func(int64, int64) {})
	if err != nil {
		return err
	}
	s.classes = map[int64]string{}
	for i := range found.Findings {
		f := &found.Findings[i]
		for j := range f.Sends {
			if send := &f.Sends[j]; send.Known {
				s.classes[send.Seq] += string(f.Class) + "\n"
			}
		}
	}
	return nil
}

// learning reports whether the findings are being looked for because a filter or
// a breakpoint asks for their classes.
func (r *replayScreen) learning() bool {
	if !r.busy || r.classes != nil {
		return false
	}
	s := seeker{goal: r.want, filter: r.sieve.now()}
	if r.playing || r.want.run {
		s.stops = r.stops.enabled()
	}
	return s.uses(query.Class)
}
