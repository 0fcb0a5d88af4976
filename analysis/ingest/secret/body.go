package secret

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON takes secrets out of a JSON text: values of members with a secret's name,
// and card numbers anywhere. Everything else is kept byte for byte. Where there
// is nothing to do, text itself is returned; a text that is no JSON is read as a
// form.
func (c *Cleaner) JSON(text []byte) []byte {
	if first := bytes.TrimLeft(text, " \t\r\n"); len(first) == 0 || first[0] != '{' && first[0] != '[' && first[0] != '"' {
		return c.Form(text)
	}
	_, _, found := cardNumber(text, 0)
	if !found && !suspicious(text) {
		return text
	}
	w := rewriter{c: c, text: text, dec: jsontext.NewDecoder(bytes.NewBuffer(text))}
	for {
		if err := w.next(); err != nil {
			return c.Rough(text)
		}
		if w.dec.StackDepth() == 0 {
			return append(w.out, text[w.done:]...)
		}
	}
}

// suspicious reports whether a member may have a secret's name: it looks at all
// strings that a colon follows, without a look at the syntax around them.
func suspicious(text []byte) bool {
	for {
		open := bytes.IndexByte(text, '"')
		if open < 0 {
			return false
		}
		text = text[open+1:]
		end := bytes.IndexByte(text, '"')
		if end < 0 {
			return false
		}
		name := text[:end]
		if len(name) > 0 && name[len(name)-1] == '\\' {
			// An escaped quote: from here on strings and what is between them
			// may be taken for each other, so the decoder must tell.
			return true
		}
		text = text[end+1:]
		after := bytes.TrimLeft(text, " \t\r\n")
		if len(after) > 0 && after[0] == ':' && (judge(name) != keep || bytes.IndexByte(name, '\\') >= 0) {
			return true
		}
	}
}

// rewriter copies a text and replaces values on the way.
type rewriter struct {
	c    *Cleaner
	text []byte
	dec  *jsontext.Decoder
	out  []byte
	done int // what of text is in out
}

// next reads one token, or a member whose value goes as a whole.
func (w *rewriter) next() error {
	verdict, err := w.name()
	if err != nil {
		return err
	}
	switch kind := w.dec.PeekKind(); {
	case kind == '}', kind == ']', verdict == keep && (kind == '{' || kind == '['):
		_, err := w.dec.ReadToken()
		return err
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	if with := w.c.value(verdict, raw); with != nil {
		end := int(w.dec.InputOffset())
		w.out = append(append(w.out, w.text[w.done:end-len(raw)]...), with...)
		w.done = end
	}
	return nil
}

// name reads a member's name, where one comes.
func (w *rewriter) name() (verdict, error) {
	kind, n := w.dec.StackIndex(w.dec.StackDepth())
	if kind != '{' || n%2 == 1 || w.dec.PeekKind() != '"' {
		return keep, nil
	}
	name, err := w.dec.ReadToken()
	if err != nil {
		return keep, err
	}
	return judge([]byte(name.String())), nil
}

// value is what takes the place of a value, nil for the value itself. The result
// is a JSON string, as a pseudonym is no number.
func (c *Cleaner) value(v verdict, raw jsontext.Value) []byte {
	kind := raw.Kind()
	plain := bytes.Trim(raw, `"`)
	if kind == 'n' || kind == '"' && len(plain) == 0 {
		return nil
	}
	if with := c.named(v, plain); with != "" {
		c.Found++
		return []byte(`"` + with + `"`)
	}
	return c.cards(raw)
}

// cards replaces card numbers inside a value.
func (c *Cleaner) cards(raw []byte) []byte {
	if _, _, ok := cardNumber(raw, 0); !ok {
		return nil
	}
	clean := c.Text(raw)
	if clean[0] != '"' {
		clean = append(append([]byte{'"'}, clean...), '"')
	}
	return clean
}
