package ingest

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"idem/analysis/ingest/place"
	"idem/analysis/ingest/source"
)

// eachObject calls do for every object of a text that is one object a line, an
// array of objects, or a list as APIs answer it: an object with the objects in a
// member of one of the names in lists. Where lines are objects of their own, n is
// the line; else it is the number of the object.
func (in *Input) eachObject(out *Sink, lists []string, do func(object jsontext.Value, n int64)) error {
	head := in.head()
	switch {
	case listMember(head, lists) != "":
		return in.EachEntry(out, []string{strings.Join(lists, "|")}, do)
	case !isOneLine(head):
		return in.EachEntry(out, nil, do)
	}
	return in.EachLine(out, func(line []byte, n int64) {
		if v := jsontext.Value(line); v.IsValid() && v.Kind() == '{' {
			do(v, n)
		} else {
			out.Reject(n, line, errNoObject)
		}
	})
}

// head looks at the beginning of a text without reading it.
func (in *Input) head() []byte {
	b, ok := in.Reader.(*bufio.Reader)
	if !ok {
		b = bufio.NewReaderSize(in.Reader, source.HeadSize)
		in.Reader = b
	}
	head, _ := b.Peek(source.HeadSize) // an error comes back with the read
	return head
}

// isOneLine reports whether the first line of a text is an object of its own, so
// that a broken line costs itself only.
func isOneLine(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte{'\n'})
	v := jsontext.Value(line)
	return v.IsValid() && v.Kind() == '{'
}

// listMember is the member of the first object that holds a list of objects.
func listMember(head []byte, names []string) string {
	for _, name := range names {
		dec := jsontext.NewDecoder(bytes.NewReader(head))
		if enter(dec, name) && dec.PeekKind() == '[' {
			return name
		}
	}
	return ""
}

// enter goes to the value of a member of the object that comes next.
func enter(dec *jsontext.Decoder, name string) bool {
	if dec.PeekKind() != '{' {
		return false
	}
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for dec.PeekKind() == '"' {
		t, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if t.String() == name {
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}

// firstObject is the first object that eachObject would find, nil where the
// beginning of the text does not hold it whole.
func firstObject(head []byte, lists ...string) jsontext.Value {
	dec := jsontext.NewDecoder(bytes.NewReader(head))
	if list := listMember(head, lists); list != "" && !enter(dec, list) {
		return nil
	}
	if dec.PeekKind() == '[' {
		if _, err := dec.ReadToken(); err != nil {
			return nil
		}
	}
	if dec.PeekKind() != '{' {
		return nil
	}
	v, err := dec.ReadValue()
	if err != nil {
		return nil
	}
	return v
}

// valueAt is the text of the value at a place of an object, by names alone.
func valueAt(object jsontext.Value, at string) []byte {
	steps, err := place.Split(at)
	if err != nil {
		return nil
	}
	for _, step := range steps {
		if object = member(object, step.Name); object == nil {
			return nil
		}
	}
	return place.Text(object, new([]byte))
}

// member is the value of a member of an object, nil where there is none.
func member(v jsontext.Value, name string) (found jsontext.Value) {
	if v.Kind() == '{' {
		_ = members(v, func(n string, value jsontext.Value) {
			if n == name {
				found = value
			}
		})
	}
	return found
}

// reader reads JSON texts that are in memory. Making one is dear beside reading a
// small object, so they are used again.
type reader struct {
	dec *jsontext.Decoder
	in  bytes.Buffer
}

var readers = sync.Pool{New: func() any {
	r := &reader{}
	r.dec = jsontext.NewDecoder(&r.in)
	return r
}}

// within reads what stands between the brackets of v: one calls for each.
func within(v jsontext.Value, open jsontext.Kind, one func(dec *jsontext.Decoder) error) error {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	r.in = *bytes.NewBuffer(v) // the decoder reads a Buffer in place
	r.dec.Reset(&r.in)
	if t, err := r.dec.ReadToken(); err != nil || t.Kind() != open {
		return fmt.Errorf("%.40q does not begin with %s", []byte(v), open)
	}
	for kind := r.dec.PeekKind(); kind != '}' && kind != ']' && kind != 0; kind = r.dec.PeekKind() {
		if err := one(r.dec); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// members calls do for every member of an object. Values are pieces of v.
func members(v jsontext.Value, do func(name string, value jsontext.Value)) error {
	return within(v, '{', func(dec *jsontext.Decoder) error {
		t, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		value, err := dec.ReadValue()
		if err == nil {
			do(name, value)
		}
		return err
	})
}

// elements calls do for every element of an array. Elements are pieces of v.
func elements(v jsontext.Value, do func(value jsontext.Value)) error {
	return within(v, '[', func(dec *jsontext.Decoder) error {
		value, err := dec.ReadValue()
		if err == nil {
			do(value)
		}
		return err
	})
}
