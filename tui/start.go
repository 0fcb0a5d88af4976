package tui

import (
	"fmt"
	"slices"
	"strings"

	"idem/analysis/whatif"
	"idem/engine"
	"idem/tui/query"
)

// Start is where the workbench begins: a screen, and what is on it.
type Start struct {
	Screen string // one of Screens; "" is the first, or the replay where At is given
	At     int64  // position in the replay
	Filter string // of the incident's, the replay's or the findings' list
	// Sort is the column that one of these lists is sorted by, one of Sorts, with
	// ":turned" behind it the other way round.
	Sort string
	// Against is the other policy of the compare screen, or the turned one of what
	// if: one of Policies, or changes of the replay's policy, knob=value,knob=value.
	Against string
}

// turned is behind a column's name that sorts the other way round.
const turned = ":turned"

// Sorts are the columns that lists can be sorted by, those of all lists.
func Sorts() (names []string) {
	for _, room := range []int{incidentRoom, replayRoom, findingsRoom} {
		for _, name := range sortNames(room) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// sortNames are the columns of a screen's list in the order in which s goes through
// them.
func sortNames(room int) (names []string) {
	switch room {
	case incidentRoom:
		for _, s := range sortings {
			names = append(names, dashed(s.name))
		}
	case replayRoom:
		for _, r := range rankings {
			names = append(names, dashed(r.name))
		}
	case findingsRoom:
		for _, o := range findingOrders {
			names = append(names, dashed(o.name))
		}
	}
	return names
}

// Policies are the names of the published policies.
func Policies() (names []string) {
	for _, c := range published() {
		names = append(names, dashed(c.Name))
	}
	return names
}

// dashed is a name as a word of a command line.
func dashed(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// filterFields are what the lists that begin with a filter can be asked for.
var filterFields = map[int]query.Field{incidentRoom: groupFields, replayRoom: stepFields, findingsRoom: findingFields}

// Screens are the names of the screens, in the order of their keys.
func Screens() (names []string) {
	for i := range rooms {
		names = append(names, screenName(i))
	}
	return names
}

func screenName(i int) string { return dashed(rooms[i].title) }

// Check tells what cannot be begun with under the policy of the replay.
func (s Start) Check(own engine.Policy) error {
	room, err := s.room()
	if err == nil {
		err = s.checkPlace(room)
	}
	if err == nil && s.Sort != "" {
		_, _, err = s.sort(room)
	}
	if err == nil && s.Against != "" {
		_, err = s.against(room, own)
	}
	return err
}

func (s Start) checkPlace(room int) error {
	switch {
	case s.At < 0 || (s.At > 0 && room != replayRoom):
		return fmt.Errorf("a position is a number of the replay screen")
	case s.Filter == "":
		return nil
	case filterFields[room] == 0:
		return fmt.Errorf("only the incident, the replay and the findings begin with a filter")
	}
	_, err := query.Parse(s.Filter, filterFields[room])
	return err
}

// sort is the column that is asked for, and whether it is turned round.
func (s Start) sort(room int) (by int, round bool, err error) {
	names := sortNames(room)
	if names == nil {
		return 0, false, fmt.Errorf("only the incident, the replay and the findings begin sorted")
	}
	name, round := strings.CutSuffix(s.Sort, turned)
	if by = slices.Index(names, name); by < 0 {
		return 0, false, fmt.Errorf("no column %q to sort by: it is one of %s", name, strings.Join(names, ", "))
	}
	return by, round, nil
}

// against is the other policy.
func (s Start) against(room int, own engine.Policy) (whatif.Case, error) {
	if room != compareRoom && room != whatifRoom {
		return whatif.Case{}, fmt.Errorf("only the compare screen and what if have another policy")
	}
	if i := slices.Index(Policies(), s.Against); i >= 0 {
		return published()[i], nil
	}
	p, err := whatif.ParseChanges(s.Against, own)
	if err != nil {
		return whatif.Case{}, fmt.Errorf("the other policy is one of %s, or knob=value,knob=value: %w", strings.Join(Policies(), ", "), err)
	}
	return whatif.Case{Name: s.Against, Policy: p}, nil
}

func (s Start) room() (int, error) {
	if s.Screen == "" {
		if s.At > 0 {
			return replayRoom, nil
		}
		return incidentRoom, nil
	}
	i := slices.Index(Screens(), s.Screen)
	if i < 0 {
		return 0, fmt.Errorf("no screen %q: it is one of %s", s.Screen, strings.Join(Screens(), ", "))
	}
	return i, nil
}

// begin goes where the start says, once, when the incident is open.
func (m *model) begin() {
	s := m.cfg.Start
	m.cfg.Start = Start{}
	room, err := s.room()
	if err != nil || s == (Start{}) {
		return
	}
	m.show(room)
	if list := m.sieveOf(room); list != nil {
		list.set(s.Filter, filterFields[room])
	}
	if r, ok := m.screens[room].(*replayScreen); ok {
		r.want = goal{pos: s.At, run: true, unstopped: true}
	}
	if by, round, err := s.sort(room); err == nil {
		m.beginSorted(room, by, round)
	}
	if other, err := s.against(room, m.cfg.Policy); err == nil {
		m.beginAgainst(room, other)
	}
}

// beginSorted has a screen's list sorted when there is one.
func (m *model) beginSorted(room, by int, round bool) {
	switch s := m.screens[room].(type) {
	case *incidentScreen:
		s.list.sortBy, s.list.upward = by, sortings[by].upward != round
	case *replayScreen:
		s.ranked = &ranking{by: by, down: rankings[by].down != round}
	case *findingsScreen:
		s.list.sortBy, s.list.upward = by, round
	}
}

// beginAgainst gives a screen its other policy.
func (m *model) beginAgainst(room int, other whatif.Case) {
	switch s := m.screens[room].(type) {
	case *compareScreen:
		s.policies, s.other = true, other
	case *whatifScreen:
		s.policy = other.Policy
	}
}

// sieveOf is the filter of a screen's list; nil where it has none to begin with.
func (m *model) sieveOf(room int) *sieve {
	switch s := m.screens[room].(type) {
	case *incidentScreen:
		return &s.list.sieve
	case *replayScreen:
		return &s.sieve
	case *findingsScreen:
		return &s.list.sieve
	}
	return nil
}
