package place

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Finder finds the values at some paths of JSON texts. It is for one goroutine.
type Finder struct {
	paths tree
	dec   *jsontext.Decoder
	in    bytes.Buffer
	text  []byte
	at    int
	found []jsontext.Value
	plain [][]byte // room for the texts
}

// NewFinder looks for paths; the value of the first is number 0. Where one path
// lies inside another, an object is searched and anything else is kept.
func NewFinder(paths ...string) (*Finder, error) {
	f := &Finder{paths: tree{root: node{slot: -1}}, found: make([]jsontext.Value, len(paths)), plain: make([][]byte, len(paths))}
	for i, path := range paths {
		if err := f.paths.add(path, i); err != nil {
			return nil, err
		}
	}
	f.dec = jsontext.NewDecoder(&f.in)
	return f, nil
}

var errBehind = errors.New("data stands behind the JSON value")

// Find reads one JSON text and gives the value of each path, nil where there is
// none. Values are pieces of text and valid as long as it is; the list is valid
// until the next call. Where text is no object or array, there are no values.
func (f *Finder) Find(text []byte) ([]jsontext.Value, error) {
	clear(f.found)
	if err := f.valid(text); err != nil {
		return f.found, err
	}
	f.text, f.at = text, 0
	f.blanks()
	f.value(&f.paths.root)
	for _, same := range f.paths.same {
		f.found[same[1]] = f.found[same[0]]
	}
	return f.found, nil
}

// Text is the value of path i that was found last, as [Text] has it; it is valid
// until the next call of Find.
func (f *Finder) Text(i int) []byte { return Text(f.found[i], &f.plain[i]) }

// valid reads the whole text once, strictly. What follows need not be careful.
func (f *Finder) valid(text []byte) error {
	f.in = *bytes.NewBuffer(text) // the decoder reads a Buffer in place
	f.dec.Reset(&f.in)
	if _, err := f.dec.ReadValue(); err != nil {
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	if _, err := f.dec.ReadToken(); err != io.EOF {
		return errBehind
	}
	return nil
}

// value walks over the value at f.at, and keeps it where a path ends.
func (f *Finder) value(n *node) {
	from := f.at
	switch c := f.text[f.at]; {
	case c == '{' && n != nil && n.names != nil:
		f.object(n)
		return
	case c == '[' && n != nil && n.indexes != nil:
		f.array(n)
		return
	case c == '{' || c == '[':
		f.skipNested()
	case c == '"':
		f.skipString()
	default:
		f.skipWord()
	}
	if n != nil && n.slot >= 0 {
		f.found[n.slot] = f.text[from:f.at]
	}
}

func (f *Finder) object(n *node) {
	f.at++
	for f.blanks(); f.text[f.at] != '}'; f.blanks() {
		if f.text[f.at] == ',' {
			f.at++
			f.blanks()
		}
		from := f.at
		f.skipString()
		name := f.text[from:f.at]
		f.blanks()
		f.at++ // the colon
		f.blanks()
		f.value(n.named(name))
	}
	f.at++
}

func (f *Finder) array(n *node) {
	f.at++
	i := int64(0)
	for f.blanks(); f.text[f.at] != ']'; f.blanks() {
		if f.text[f.at] == ',' {
			f.at++
			f.blanks()
			i++
		}
		f.value(n.indexes[i])
	}
	f.at++
}

// named is the child for a member's name in its quotes.
func (n *node) named(name []byte) *node {
	if bytes.IndexByte(name, '\\') < 0 {
		return n.names[string(name[1:len(name)-1])]
	}
	plain, err := jsontext.AppendUnquote(nil, name)
	if err != nil {
		return nil
	}
	return n.names[string(plain)]
}

func (f *Finder) blanks() {
	for f.at < len(f.text) && f.text[f.at] <= ' ' {
		f.at++
	}
}

// skipString goes behind a string: to the next quote that no odd number of
// backslashes precedes.
func (f *Finder) skipString() {
	f.at++
	for {
		i := f.at + bytes.IndexByte(f.text[f.at:], '"')
		f.at = i + 1
		slashes := 0
		for f.text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return
		}
	}
}

// skipWord goes behind a number, true, false or null.
func (f *Finder) skipWord() {
	for f.at < len(f.text) {
		switch f.text[f.at] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return
		}
		f.at++
	}
}

// skipNested goes behind an object or array.
func (f *Finder) skipNested() {
	depth := 0
	for {
		switch f.text[f.at] {
		case '"':
			f.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		f.at++
		if depth == 0 {
			return
		}
	}
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
