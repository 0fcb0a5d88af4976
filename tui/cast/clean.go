package cast

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cleaner lets through what is to be seen: text, colours, movements and modes.
// Requests would have the viewer's terminal answer, and a clipboard's content
// was on no screen, so both are dropped. What a write left unfinished waits for
// the next one.
type cleaner struct{ rest []byte }

// longest is how long an unfinished sequence may get before it counts as text
// that is dropped.
const longest = 1 << 20

func (c *cleaner) take(b []byte) string {
	b = append(c.rest, b...)
	whole := len(b) - cutRune(b)
	cut := b[whole:]
	b = bytes.ToValidUTF8(b[:whole], []byte("\uFFFD"))
	c.rest = nil
	var out strings.Builder
	for len(b) > 0 {
		seq, _, n, state := ansi.DecodeSequence(b, ansi.NormalState, nil)
		if n == len(b) && unfinished(b, state) {
			break
		}
		if visible(seq) {
			out.Write(seq)
		}
		b = b[n:]
	}
	if len(b) < longest {
		c.rest = slices.Concat(b, cut)
	}
	return out.String()
}

// cutRune is how many bytes at the end of b are the beginning of a character.
func cutRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if start := b[len(b)-n:]; utf8.RuneStart(start[0]) {
			if utf8.FullRune(start) {
				return 0
			}
			return n
		}
	}
	return 0
}

// unfinished reports whether the last sequence goes on after its last byte.
func unfinished(last []byte, state byte) bool {
	switch {
	case state != ansi.NormalState, string(last) == "\x1b":
		return true
	case isString(last):
		return last[len(last)-1] != '\a' && !bytes.HasSuffix(last, []byte("\x1b\\"))
	}
	return false
}

// isString reports whether a sequence is one of those that hold a text.
func isString(seq []byte) bool {
	return ansi.HasOscPrefix(seq) || ansi.HasDcsPrefix(seq) || ansi.HasApcPrefix(seq) || ansi.HasPmPrefix(seq) || ansi.HasSosPrefix(seq)
}

// visible reports whether a sequence belongs to what is to be seen.
func visible(seq []byte) bool {
	switch {
	case isString(seq), string(seq) == "\x1b\\": // the end of a text that was cut before it
		return false
	case !ansi.HasCsiPrefix(seq):
		return true
	}
	// CSI c, n and x ask, with $p the state of modes is asked for; t is about the
	// window; u with a prefix and m with > are about keys.
	last, text := seq[len(seq)-1], string(seq)
	return !strings.ContainsRune("cntxu", rune(last)) && !strings.HasSuffix(text, "$p") && !strings.HasPrefix(text, "\x1b[>")
}
