package smallworld

import (
	"fmt"
	"strings"
)

// Result is what a walk through the world found.
type Result struct {
	States int // visited
	Steps  int // taken between them
	// Counts are how often each thing was told to a client.
	Counts map[string]int
	// Broken is the invariant that was broken first, "" for none, and Trace a
	// shortest way to break one.
	Broken string
	Trace  []string
}

func (r *Result) String() string {
	if r.Broken == "" {
		return fmt.Sprintf("%d states, %d steps, every invariant holds", r.States, r.Steps)
	}
	return fmt.Sprintf("%s, after %d steps:\n\t%s", r.Broken, len(r.Trace), strings.Join(r.Trace, "\n\t"))
}

// visit is how a state was reached first.
type visit struct {
	from int32
	by   action
}

// Walk visits every state that can be reached under the rules, or ends at the
// first invariant that is broken.
func Walk(rules Rules) *Result {
	w := &walker{rules: rules, counts: map[string]int{}}
	r := &Result{Counts: w.counts}
	states, visits := []state{start()}, []visit{{from: -1}}
	index := map[state]struct{}{states[0]: {}}
	var actions []action
	for at := 0; at < len(states); at++ {
		actions = states[at].actions(actions[:0])
		for _, a := range actions {
			next := states[at]
			_, broken := w.apply(&next, a)
			r.Steps++
			if broken != "" {
				r.States, r.Broken, r.Trace = len(states), broken, trace(rules, visits, at, a)
				return r
			}
			if _, known := index[next]; known {
				continue
			}
			index[next] = struct{}{}
			states, visits = append(states, next), append(visits, visit{int32(at), a})
		}
	}
	r.States = len(states)
	return r
}

// trace tells the way to a state and the action that broke something there.
func trace(rules Rules, visits []visit, at int, last action) []string {
	path := []action{last}
	for ; visits[at].from >= 0; at = int(visits[at].from) {
		path = append(path, visits[at].by)
	}
	w, s := &walker{rules: rules, counts: map[string]int{}}, start()
	var lines []string
	for i := len(path) - 1; i >= 0; i-- {
		now := s.now
		told, _ := w.apply(&s, path[i])
		if told != "" {
			told = ": " + told
		}
		lines = append(lines, fmt.Sprintf("%d  %v%s", now, path[i], told))
	}
	return lines
}
