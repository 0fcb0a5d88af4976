package pgstore

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"idem/engine"
)

// stored is a text as it is kept. TEXT cannot hold NUL or what is no UTF-8, and
// other people's ledgers and headers have both, so those bytes are written as
// \0 and \xhh, and the backslash as two. Different texts stay different, and all
// others stand as they are.
func stored(text string) string {
	if utf8.ValidString(text) && !strings.ContainsAny(text, "\\\x00") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == 0:
			b.WriteString(`\0`)
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteRune(r)
		}
		i += width
	}
	return b.String()
}

// restored is the inverse of stored. It fails with [engine.ErrDamaged] on what stored
// does not write.
func restored(text string) (string, error) {
	if !strings.Contains(text, `\`) {
		return text, nil
	}
	var b strings.Builder
	for {
		plain, escape, found := strings.Cut(text, `\`)
		b.WriteString(plain)
		if !found {
			return b.String(), nil
		}
		char, width := unescape(escape)
		if width == 0 {
			return "", fmt.Errorf("%w: escape in %q", engine.ErrDamaged, text)
		}
		b.WriteByte(char)
		text = escape[width:]
	}
}

// unescape reads what follows a backslash; width is 0 when it is no escape.
func unescape(escape string) (char byte, width int) {
	switch {
	case strings.HasPrefix(escape, `\`):
		return '\\', 1
	case strings.HasPrefix(escape, "0"):
		return 0, 1
	case strings.HasPrefix(escape, "x") && len(escape) >= 3:
		if _, err := fmt.Sscanf(escape[1:3], "%02x", &char); err == nil {
			return char, 3
		}
	}
	return 0, 0
}
