// Package place finds values in JSON by their paths, many at once and in one
// pass over the text. A path is written $.a.b[0].c; the $. may be left out. A
// text with duplicate names, broken UTF-8 or data behind it is refused: two
// readers could read it differently.
package place

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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

// Finder reads texts. It is for one goroutine.
type Finder struct {
	set   *Set
	dec   *jsontext.Decoder
	in    bytes.Buffer
	text  []byte
	found []jsontext.Value
}

// NewFinder looks for the paths of a set.
func NewFinder(set *Set) *Finder {
	f := &Finder{set: set, found: make([]jsontext.Value, set.slots)}
	f.dec = jsontext.NewDecoder(&f.in)
	return f
}

// Find reads one JSON text and gives the value of each path, nil where there is
// none. Values are pieces of text and valid as long as it is; the list is valid
// until the next call. Where text is no object, there are no values.
func (f *Finder) Find(text []byte) ([]jsontext.Value, error) {
	clear(f.found)
	f.text = text
	f.in = *bytes.NewBuffer(text) // the decoder reads a Buffer in place
	f.dec.Reset(&f.in)
	if err := f.value(&f.set.root); err != nil {
		return f.found, err
	}
	if _, err := f.dec.ReadToken(); err != io.EOF {
		return f.found, errBehind
	}
	for _, same := range f.set.same {
		f.found[same[1]] = f.found[same[0]]
	}
	return f.found, nil
}

var errBehind = fmt.Errorf("data stands behind the JSON value")

// value reads the next value, at node n.
func (f *Finder) value(n *node) error {
	if n == nil {
		return f.skip(n)
	}
	switch kind := f.dec.PeekKind(); {
	case kind == '{' && n.names != nil:
		return f.object(n)
	case kind == '[' && n.indexes != nil:
		return f.array(n)
	}
	return f.skip(n)
}

// skip reads over a value and keeps it where a path ends.
func (f *Finder) skip(n *node) error {
	raw, err := f.dec.ReadValue()
	if err != nil {
		return unexpectedEnd(err)
	}
	if n != nil && n.slot >= 0 {
		end := int(f.dec.InputOffset())
		f.found[n.slot] = f.text[end-len(raw) : end]
	}
	return nil
}

func (f *Finder) object(n *node) error {
	if _, err := f.dec.ReadToken(); err != nil {
		return unexpectedEnd(err)
	}
	for f.dec.PeekKind() == '"' {
		name, err := f.dec.ReadValue()
		if err != nil {
			return unexpectedEnd(err)
		}
		if err := f.value(n.named(name)); err != nil {
			return err
		}
	}
	_, err := f.dec.ReadToken()
	return unexpectedEnd(err)
}

// named is the child for a member's name in its quotes.
func (n *node) named(name jsontext.Value) *node {
	if bytes.IndexByte(name, '\\') < 0 {
		return n.names[string(name[1:len(name)-1])]
	}
	plain, err := jsontext.AppendUnquote(nil, name)
	if err != nil {
		return nil
	}
	return n.names[string(plain)]
}

func (f *Finder) array(n *node) error {
	if _, err := f.dec.ReadToken(); err != nil {
		return unexpectedEnd(err)
	}
	for i := int64(0); f.dec.PeekKind() != ']'; i++ {
		if err := f.value(n.indexes[i]); err != nil {
			return err
		}
	}
	_, err := f.dec.ReadToken()
	return unexpectedEnd(err)
}

// unexpectedEnd: the end of the text is no end of the reading here.
func unexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Text is a value as plain text: a string without its quotes and escapes, a
// number or word as it stands, an object or array in full, null as nothing. It
// shares memory with v, or with buf where there were escapes.
func Text(v jsontext.Value, buf *[]byte) []byte {
	if len(v) == 0 {
		return nil
	}
	switch v[0] {
	case '"':
		if bytes.IndexByte(v, '\\') < 0 {
			return v[1 : len(v)-1]
		}
		plain, err := jsontext.AppendUnquote((*buf)[:0], v)
		if err != nil {
			return v
		}
		*buf = plain
		return plain
	case 'n':
		return nil
	}
	return v
}
