package secret

import "bytes"

// Rough takes secrets out of a text that is no sound JSON: a line that is cut, or
// JSON inside of CSV. It may take out more than it must.
func (c *Cleaner) Rough(text []byte) []byte {
	var out []byte
	rest := text
	if bytes.Contains(text, []byte(`"":`)) { // quotes doubled, as CSV has them
		rest = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
	}
	for {
		name, from, ok := nextName(rest)
		if !ok {
			break
		}
		out = append(out, rest[:from]...)
		rest = rest[from:]
		if judge(name) != keep {
			c.Found++
			out = append(out, "[dropped]"...)
			rest = rest[valueEnd(rest):]
		}
	}
	if out == nil {
		return c.Text(text)
	}
	return c.Text(append(out, rest...))
}

// nextName finds a string that a colon follows, and where its value begins.
func nextName(text []byte) (name []byte, value int, ok bool) {
	for at := 0; ; {
		colon := bytes.IndexByte(text[at:], ':')
		if colon < 0 {
			return nil, 0, false
		}
		at += colon + 1
		before := bytes.TrimRight(text[:at-1], " \t")
		if len(before) == 0 || before[len(before)-1] != '"' {
			continue
		}
		before = before[:len(before)-1]
		name = before[bytes.LastIndexByte(before, '"')+1:]
		return name, at + len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t")), true
	}
}

// valueEnd is where a value ends: a string at its quote, others before a comma or
// a closing bracket.
func valueEnd(text []byte) int {
	if len(text) > 0 && text[0] == '"' {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(text)
	}
	if end := bytes.IndexAny(text, ",}]"); end >= 0 {
		return end
	}
	return len(text)
}
