package tui

import "idem/analysis/replay"

// spokenEnd is what the tour ends with where there are no screens and no keys.
const spokenEnd = "Go on with findings, which looks beyond keys, or step through the day with next. help lists all commands."

// tour goes to the next stop of the guided tour and tells what is there.
func (l *linear) tour() error {
	if l.stop == len(tourStops) {
		l.stop = 0
	}
	s := &tourStops[l.stop]
	if err := l.reach(s.spoken); err != nil {
		return err
	}
	f := figures{total: l.p.Total(), policy: l.cfg.Policy, dir: l.cfg.OutDir, found: l.found, result: l.result, spoken: true}
	if len(l.order) > 0 {
		f.group = l.order[0]
	}
	if l.page.pos > 0 {
		f.step = &l.page.at.Step
	}
	text := f.fill(s.text)
	if s.spoken == tourEnd {
		text = spokenEnd
	}
	l.stop++
	l.say("Stop %d of %d: %s.", l.stop, len(tourStops), s.title)
	l.say("%s", text)
	if err := l.tellSpot(s.spoken); err != nil {
		return err
	}
	if l.stop < len(tourStops) {
		l.say("An empty line goes on to the next stop.")
	}
	return nil
}

// reach goes to a spot without a word.
func (l *linear) reach(at spot) error {
	targets := map[spot]replay.Target{
		duplicateStep: {Duplicate: true}, inFlightStep: {Classes: []replay.Class{replay.InFlight}}, mismatchStep: {Classes: []replay.Class{replay.Mismatch}},
	}
	switch at {
	case firstStep, duplicateStep, inFlightStep, mismatchStep:
		if err := l.read(goal{pos: 1, run: true}); err != nil || at == firstStep {
			return err
		}
		return l.read(goal{pos: 1, find: &search{from: 1, dir: replay.Forward, target: targets[at], name: "such request"}})
	case dayEnd:
		return l.read(goal{pos: l.p.Total(), run: true})
	}
	return nil
}

// tellSpot tells what is at a spot.
func (l *linear) tellSpot(at spot) error {
	switch at {
	case firstStep, duplicateStep, inFlightStep, mismatchStep:
		l.step()
	case firstKey:
		if len(l.order) > 0 {
			return l.story(l.order[0])
		}
	case dayEnd:
		l.sums()
	case rules:
		l.policy()
	case wholeReport:
		return l.report()
	}
	return nil
}
