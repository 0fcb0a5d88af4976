package ingest

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

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

// members calls do for every member of an object. Values are pieces of v.
func members(v jsontext.Value, do func(name string, value jsontext.Value)) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return fmt.Errorf("%.40q is no JSON object", []byte(v))
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		text := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		do(text, value)
	}
	_, err := dec.ReadToken()
	return err
}

// elements calls do for every element of an array. Elements are pieces of v.
func elements(v jsontext.Value, do func(value jsontext.Value)) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '[' {
		return fmt.Errorf("%.40q is no JSON array", []byte(v))
	}
	for kind := dec.PeekKind(); kind != ']' && kind != 0; kind = dec.PeekKind() {
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		do(value)
	}
	_, err := dec.ReadToken()
	return err
}
