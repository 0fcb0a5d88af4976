package ingest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxEntry is how long one entry of a JSON document may be, in bytes.
const maxEntry = 32 << 20

// EachEntry reads a text of JSON values, however they are laid out, and calls do
// for every element of the array at path in each of them; with an empty path for
// every value. A step of the path may be one of several names, a|b. Entries are
// numbered from 1, which stands for their line. The rest of a document is skipped,
// and never held in memory; a document without such an array is rejected.
//
// Behind broken JSON nothing can be found again: what breaks is rejected where
// the text just ends, and an error elsewhere.
func (in *Input) EachEntry(out *Sink, path []string, do func(entry jsontext.Value, n int64)) error {
	limit := &entryLimit{in: in.Reader, left: maxEntry}
	w := &entryWalk{dec: jsontext.NewDecoder(limit), limit: limit, out: out, do: do}
	for out.Going() {
		w.found = false
		switch err := w.value(path); {
		case err == nil && !w.found && out.Going():
			w.n++
			out.Reject(w.n, nil, fmt.Errorf("a JSON value without the list %s", strings.Join(path, ".")))
		case err == nil:
		case err == io.EOF:
			return out.Err()
		case errors.Is(err, io.ErrUnexpectedEOF):
			out.Reject(w.n+1, nil, errors.New("the JSON is cut here"))
			return out.Err()
		case errors.As(err, new(*jsontext.SyntacticError)):
			return misfit("behind entry %d: the JSON breaks, and what follows cannot be read: %w", w.n, err)
		default:
			return err
		}
	}
	return out.Err()
}

type entryWalk struct {
	dec   *jsontext.Decoder
	limit *entryLimit
	out   *Sink
	do    func(jsontext.Value, int64)
	n     int64
	found bool // an array at the path, in the value that is read
}

// value reads the value that comes next, down to the array at path.
func (w *entryWalk) value(path []string) error {
	w.limit.left = maxEntry
	kind := w.dec.PeekKind()
	if len(path) == 0 && (kind != '[' || w.dec.StackDepth() > 0) {
		v, err := w.dec.ReadValue()
		if err == nil {
			w.found = true
			w.n++
			w.do(v, w.n)
		}
		return err
	}
	if len(path) == 0 || len(path) == 1 && kind == '[' {
		return w.array()
	}
	if kind != '{' {
		return w.dec.SkipValue()
	}
	return w.object(path)
}

func (w *entryWalk) array() error {
	w.found = true
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.out.Going() && w.dec.PeekKind() != ']' {
		w.limit.left = maxEntry
		v, err := w.dec.ReadValue()
		if err != nil {
			return unexpected(err)
		}
		w.n++
		w.do(v, w.n)
	}
	if !w.out.Going() {
		return nil
	}
	_, err := w.dec.ReadToken()
	return unexpected(err)
}

// object goes into the member that path begins with.
func (w *entryWalk) object(path []string) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.out.Going() && w.dec.PeekKind() == '"' {
		w.limit.left = maxEntry
		name, err := w.dec.ReadToken()
		if err != nil {
			return unexpected(err)
		}
		switch mine := slices.Contains(strings.Split(path[0], "|"), name.String()); {
		case mine && len(path) == 1 && w.dec.PeekKind() == '[':
			err = w.array()
		case mine && len(path) > 1 && w.dec.PeekKind() == '{':
			err = w.object(path[1:])
		default:
			err = w.dec.SkipValue()
		}
		if err != nil {
			return unexpected(err)
		}
	}
	if !w.out.Going() {
		return nil
	}
	_, err := w.dec.ReadToken()
	return unexpected(err)
}

// unexpected is the end of the text inside of a value.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// entryLimit ends a text whose entry does not end.
type entryLimit struct {
	in   io.Reader
	left int
}

func (l *entryLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, misfit("an entry is longer than %d MiB; take the bodies of replies out of the file", maxEntry>>20)
	}
	n, err := l.in.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}
