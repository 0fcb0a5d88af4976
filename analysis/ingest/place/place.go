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

// tree is paths that are looked for together.
type tree struct {
	root node
	same [][2]int // slots of one path: the first is found, the second filled
}

// node is a step of a path: into an object by name, or an array by index.
type node struct {
	names   map[string]*node
	indexes map[int64]*node
	slot    int // number of the path that ends here, -1 for none
}

func (t *tree) add(path string, slot int) error {
	steps, err := Split(path)
	if err != nil {
		return err
	}
	n := &t.root
	for _, step := range steps {
		n = n.child(step)
	}
	if n.slot >= 0 {
		t.same = append(t.same, [2]int{n.slot, slot})
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
			if step, rest, ok = bracket(inner); !ok {
				return nil, fmt.Errorf("place %q: a [ has no index or quoted name and ] behind it", path)
			}
			rest = strings.TrimPrefix(rest, ".")
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

// bracket reads what stands behind a [: an index, or a name in quotes, which may
// hold points and brackets.
func bracket(text string) (step Step, rest string, ok bool) {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		step.Name, rest, ok = strings.Cut(text[1:], text[:1]+"]")
		return step, rest, ok
	}
	index, rest, ok := strings.Cut(text, "]")
	n, err := strconv.ParseUint(index, 10, 31)
	return Step{Index: int64(n), IsIndex: true}, rest, ok && err == nil
}
