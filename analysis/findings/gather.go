package findings

import (
	"slices"
	"sync"
)

// names numbers texts, from 1; 0 is the empty one. Each reader has a cache, so
// that they seldom wait for each other.
type names struct {
	mu   sync.Mutex
	all  map[string]uint32
	list []string
}

type nameCache struct {
	of    *names
	known map[string]uint32
}

func (n *names) cache() nameCache { return nameCache{n, map[string]uint32{}} }

func (c *nameCache) number(text []byte) uint32 {
	if len(text) == 0 {
		return 0
	}
	if n, ok := c.known[string(text)]; ok {
		return n
	}
	n := c.of.number(string(text))
	c.known[string(text)] = n
	return n
}

func (n *names) number(text string) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil {
		n.all = map[string]uint32{}
	}
	number, ok := n.all[text]
	if !ok {
		n.list = append(n.list, text)
		number = uint32(len(n.list))
		n.all[text] = number
	}
	return number
}

// gather collects what several readers find, by part.
type gather[T any] struct{ parts [][]T }

func (g *gather[T]) add(part int, v T) { g.parts[part] = append(g.parts[part], v) }

// all is what was found, in the order of the parts.
func (g *gather[T]) all() []T { return slices.Concat(g.parts...) }
