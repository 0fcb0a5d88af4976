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
type gather[T any] struct {
	parts [][]T
	room  []T // one array for all parts, nil where row ids are too far apart for it
}

// plan makes room for the rows of each part in one array, where row ids are
// dense enough to tell how many there are.
func (g *gather[T]) plan(rows []int64, all int64) {
	g.parts = make([][]T, len(rows))
	sum := int64(0)
	for _, n := range rows {
		sum += n
	}
	if sum > all {
		return
	}
	g.room = make([]T, sum)
	room := g.room
	for i, n := range rows {
		g.parts[i], room = room[:0:n], room[n:]
	}
}

func (g *gather[T]) add(part int, v T) { g.parts[part] = append(g.parts[part], v) }

// all is what was found, in the order of the parts. Parts of one array move
// towards its beginning; else they are copied.
func (g *gather[T]) all() []T {
	if g.room == nil {
		return slices.Concat(g.parts...)
	}
	list := g.room[:0]
	for _, p := range g.parts {
		list = append(list, p...)
	}
	return list
}
