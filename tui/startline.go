package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"idem/analysis/compare"
	"idem/analysis/whatif"
	"idem/engine"
)

// startWords are the flags that begin with what is on the screen now.
func (m *model) startWords() []string {
	words := []string{"--screen", screenName(m.open)}
	if r, ok := m.screens[m.open].(*replayScreen); ok && r.page.pos > 0 {
		words = append(words, "--at", strconv.FormatInt(r.page.pos, 10))
	}
	if list := m.sieveOf(m.open); list != nil && list.text() != "" {
		words = append(words, "--filter", shellWord(list.text()))
	}
	if by, round, sorted := m.sorted(); sorted {
		words = append(words, "--sort", sortNames(m.open)[by]+map[bool]string{true: turned}[round])
	}
	if other, differs := m.other(); differs {
		if word, ok := againstWord(other, m.cfg.Policy); ok {
			words = append(words, "--against", shellWord(word))
		}
	}
	return words
}

// sorted is how the open screen's list is sorted; false where that is as it begins.
func (m *model) sorted() (by int, round, sorted bool) {
	switch s := m.screens[m.open].(type) {
	case *incidentScreen:
		by, round = s.list.sortBy, s.list.upward != sortings[s.list.sortBy].upward
	case *replayScreen:
		by, round = s.rank.by, s.rank.down != rankings[s.rank.by].down
		return by, round, s.rank.open
	case *findingsScreen:
		by, round = s.list.sortBy, s.list.upward
	}
	return by, round, by != 0 || round
}

// other is the other policy of the open screen; false where that is as it begins.
func (m *model) other() (whatif.Case, bool) {
	switch s := m.screens[m.open].(type) {
	case *compareScreen:
		return s.other, s.policies
	case *whatifScreen:
		return whatif.Case{Name: turnedName, Policy: s.policy}, s.policy.Hash() != s.cfg.Policy.Hash()
	}
	return whatif.Case{}, false
}

// againstWord is the other policy as --against takes it: the name of a published
// one, or what it changes of the replay's; false where knobs cannot say it.
func againstWord(other whatif.Case, own engine.Policy) (string, bool) {
	i := slices.IndexFunc(published(), func(c whatif.Case) bool {
		return c.Name == other.Name && c.Policy.Hash() == other.Policy.Hash()
	})
	if i >= 0 {
		return Policies()[i], true
	}
	var set []string
	for _, k := range engine.Knobs() {
		if value := k.Get(other.Policy); value != k.Get(own) {
			set = append(set, k.Name+"="+value)
		}
	}
	if set == nil { // the same policy; any knob says so
		k := engine.Knobs()[0]
		set = append(set, k.Name+"="+k.Get(own))
	}
	word := strings.Join(set, ",")
	got, err := whatif.ParseChanges(word, own)
	return word, err == nil && got.Hash() == other.Policy.Hash()
}

// startLacks is what of the open screen no flag brings back.
func (m *model) startLacks() (list []string) {
	lacks := m.screenLacks()
	if list := m.sieveOf(m.open); list != nil {
		lacks["the lifted filter"] = list.lifted
	}
	if other, differs := m.other(); differs {
		_, ok := againstWord(other, m.cfg.Policy)
		lacks["the other policy"] = !ok
	}
	for what, lacking := range lacks {
		if lacking {
			list = append(list, what)
		}
	}
	slices.Sort(list)
	return list
}

func (m *model) screenLacks() map[string]bool {
	const opened, row = "what is opened", "the chosen row"
	switch s := m.screens[m.open].(type) {
	case *incidentScreen:
		return map[string]bool{opened: s.open || s.problems, row: s.list.window.Cursor() > 0}
	case *replayScreen:
		return map[string]bool{opened: s.open || s.stops.open || s.notes.open, row: s.rank.before+int64(s.rank.window.Cursor()) > 0}
	case *policyScreen:
		return map[string]bool{"the place in the text": s.scroll.Cursor() > 0}
	case *reportScreen:
		return map[string]bool{"the replay that the report is of": s.text != ""}
	case *findingsScreen:
		return map[string]bool{opened: s.page != findingsList, "the findings that accuse nobody": s.list.quiet, row: s.list.window.Cursor() > 0}
	case *whatifScreen:
		return map[string]bool{"the curve": s.curve.open, row: s.presets || s.knobs.Cursor() > 0}
	case *classroomScreen:
		return map[string]bool{"the lesson": s.class != nil}
	case *importScreen:
		return map[string]bool{"what was filled in": s.form != ImportForm{}}
	case *compareScreen:
		return map[string]bool{"what is hidden": s.only, "what counts as a difference": s.least != compare.Answer, row: s.window.Cursor() > 0}
	}
	return map[string]bool{}
}

// startLine is the command line that shows what is on the screen. The lab's day
// needs no file: it is made on the spot.
func (m *model) startLine() string {
	words := []string{"idem", "open"}
	if !m.cfg.Lab {
		words = append(words, quoted(m.cfg.File))
	}
	words = append(words, m.startWords()...)
	words = append(words, narrowFlags(m.cfg.Narrow)...)
	for _, word := range m.cfg.Flags {
		words = append(words, shellWord(word))
	}
	return strings.Join(words, " ")
}

// startKey copies it, and says what it does not bring back.
func (m *model) startKey() binding {
	return binding{keys: []string{"ctrl+y"}, name: "ctrl+y", help: "copy the command line that shows this screen", do: func() tea.Cmd {
		what := "command"
		if lacks := m.startLacks(); len(lacks) > 0 {
			what += " without " + strings.Join(lacks, ", ")
		}
		return m.copyText(what, m.startLine())
	}}
}
