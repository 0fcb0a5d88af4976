// Package place finds values in JSON by their paths, many at once and in one
// pass over the text. A path is written $.a.b[0].c; the $. may be left out. A
// text with duplicate names, broken UTF-8 or data behind it is refused: two
// readers could read it differently.
package place

import (
	"fmt"
	"strconv"
	"strings"
)

// Set is a number of paths that are looked for together.
type Set struct {
	root  node
	slots int
	same  [][2]int // slots of one path: the first is found, the second filled
}

// node is a step of a path: into an object by name, or an array by index.
type node struct {
	names   map[string]*node
	indexes map[int64]*node
	slot    int // number of the path that ends here, -1 for none
}

// NewSet makes a set of paths; the value of the first is in slot 0. Where one
// path lies inside another, an object is searched and anything else is kept.
func NewSet(paths ...string) (*Set, error) {
	s := &Set{root: node{slot: -1}, slots: len(paths)}
	for i, path := range paths {
		if err := s.add(path, i); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) add(path string, slot int) error {
	steps, err := Split(path)
	if err != nil {
		return err
	}
	n := &s.root
	for _, step := range steps {
		n = n.child(step)
	}
	if n.slot >= 0 {
		s.same = append(s.same, [2]int{n.slot, slot})
	} else {
		n.slot = slot
	}
	return nil
}

func (n *node) child(step Step) *node {
	next := &node{slot: -1}
	if step.IsIndex {
		if old := n.indexes[step.Index]; old != nil {
			return old
		}
		if n.indexes == nil {
			n.indexes = map[int64]*node{}
		}
		n.indexes[step.Index] = next
		return next
	}
	if old := n.names[step.Name]; old != nil {
		return old
	}
	if n.names == nil {
		n.names = map[string]*node{}
	}
	n.names[step.Name] = next
	return next
}

// Step goes one level down.
type Step struct {
	Name    string
	Index   int64
	IsIndex bool
}

// Split takes a path apart.
func Split(path string) ([]Step, error) {
	rest := strings.TrimPrefix(strings.TrimPrefix(path, "$"), ".")
	var steps []Step
	for rest != "" {
		var step Step
		if inner, ok := strings.CutPrefix(rest, "["); ok {
			text, after, ok := strings.Cut(inner, "]")
			if !ok {
				return nil, fmt.Errorf("place %q: a [ is not closed", path)
			}
			if step.Name, ok = unquoted(text); !ok {
				n, err := strconv.ParseUint(text, 10, 31)
				if err != nil {
					return nil, fmt.Errorf("place %q: %q is no index", path, text)
				}
				step = Step{Index: int64(n), IsIndex: true}
			}
			rest = strings.TrimPrefix(after, ".")
		} else {
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			step.Name = rest[:end]
			rest = strings.TrimPrefix(rest[end:], ".")
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("place %q names nothing", path)
	}
	return steps, nil
}

// unquoted: ["a.b"] names a member with a point in its name.
func unquoted(text string) (string, bool) {
	if len(text) >= 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1], true
	}
	return "", false
}
