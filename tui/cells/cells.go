// Package cells lays text out in terminal cells: exact widths, exact heights.
//
// Text may hold SGR sequences; they take no cell. Anything else that does not
// print must have been made visible before.
package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells s takes.
func Width(s string) int {
	if n, ok := plainWidth(s); ok {
		return n
	}
	return ansi.StringWidth(s)
}

// plainWidth is Width of a text of characters that stand alone, besides its SGR
// sequences, as nearly all are; it is some twenty times faster. ok is false for
// any other text.
func plainWidth(s string) (n int, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= ' ' && c <= '~':
			n++
		case c == '\x1b':
			end := strings.IndexByte(s[i:], 'm')
			if end < 2 || s[i+1] != '[' || strings.Trim(s[i+2:i+end], "0123456789;:") != "" {
				return 0, false
			}
			i += end
		case c < utf8.RuneSelf:
			return 0, false
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			w := aloneWidth(r)
			if w == 0 {
				return 0, false
			}
			n, i = n+w, i+size-1
		}
	}
	return n, true
}

// aloneWidth is the width of a character that is a cluster of its own wherever it
// stands next to others of its kind; 0 for those that may not be one. What joins
// them (a variation selector, a combining mark, a jamo) is not of the kind, so a
// text that has any is measured by its clusters.
func aloneWidth(r rune) int {
	switch {
	case r >= 0x2500 && r <= 0x259f, // boxes and blocks
		r >= 0x2800 && r <= 0x28ff, // patterns of dots
		r == '·', r == '…', r == '‹', r == '›', r == '−', r == '—', r == '≠', r == '●', r == '◆', r == '₩':
		return 1
	case r >= '가' && r <= '힣', r >= 0x4e00 && r <= 0x9fff: // Hangul syllables, Han
		return 2
	}
	return 0
}

// Cut shortens s to at most w cells; what is missing is told by an ellipsis.
func Cut(s string, w int) string {
	s, _ = cut(s, w)
	return s
}

// cut is Cut that says how wide the text is then.
func cut(s string, w int) (string, int) {
	if w <= 0 {
		return "", 0
	}
	if n := Width(s); n <= w {
		return s, n
	}
	s = ansi.Truncate(s, w, "…")
	return s, Width(s)
}

// Fit makes s exactly w cells wide, cut or filled up at its right.
func Fit(s string, w int) string {
	s, n := cut(s, w)
	return s + Blank(w-n)
}

// Right makes s exactly w cells wide, cut at its right or filled up at its left.
func Right(s string, w int) string {
	s, n := cut(s, w)
	return Blank(w-n) + s
}

// Center makes s exactly w cells wide with s in the middle.
func Center(s string, w int) string {
	s = Cut(s, w)
	left := (w - Width(s)) / 2
	return Fit(Blank(left)+s, w)
}

// Blank is w spaces; none for a negative w.
func Blank(w int) string { return strings.Repeat(" ", max(0, w)) }

// Spread puts left at the left edge of w cells and right at the right one. Where
// both do not fit with a blank between them, left is cut to what right leaves,
// down to half of w; then right is cut too.
func Spread(left, right string, w int) string {
	if right == "" {
		return Fit(left, w)
	}
	right = Cut(right, max(w-Width(left)-1, w/2))
	rest := w - Width(right)
	gap := max(0, min(1, rest))
	return Fit(left, rest-gap) + Blank(gap) + right
}

// SpreadAny is Spread with the first of the rights that leaves left whole, or the
// last one.
func SpreadAny(left string, w int, rights ...string) string {
	for _, right := range rights {
		if Width(left)+1+Width(right) <= w {
			return Spread(left, right, w)
		}
	}
	return Spread(left, rights[len(rights)-1], w)
}

// Block makes exactly h lines of exactly w cells out of lines: those that are
// too many are dropped, missing ones blank.
func Block(lines []string, w, h int) []string {
	if h <= 0 {
		return nil
	}
	block := make([]string, h)
	for i := range block {
		if i < len(lines) {
			block[i] = Fit(lines[i], w)
		} else {
			block[i] = Blank(w)
		}
	}
	return block
}

// Beside joins two blocks line by line with sep between them. The shorter one
// is taken as empty below its end, so both should be of one height.
func Beside(left []string, sep string, right []string) []string {
	joined := make([]string, max(len(left), len(right)))
	for i := range joined {
		joined[i] = at(left, i) + sep + at(right, i)
	}
	return joined
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// Wrap breaks plain text at spaces, and words that are longer than w anywhere,
// into lines of at most w cells. There is always one line.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	var lines []string
	line, used := "", 0
	for i, word := range strings.Split(s, " ") {
		size := Width(word)
		switch {
		case i > 0 && used+1+size <= w:
			line, used = line+" "+word, used+1+size
			continue
		case i > 0:
			lines = append(lines, line)
		}
		for size > w {
			n, cells := prefix(word, w)
			if n == len(word) {
				break // one character that is wider than the line
			}
			lines = append(lines, word[:n])
			word, size = word[n:], size-cells
		}
		line, used = word, size
	}
	return append(lines, line)
}

// prefix is how many bytes at the beginning of s fit into w cells, one character
// at least, and how many cells they take. S has no SGR sequences and, as every
// text that was made printable, no clusters but letters whose marks take no cell.
func prefix(s string, w int) (bytes, cells int) {
	for i, r := range s {
		n := Width(string(r))
		if i > 0 && cells+n > w {
			return i, cells
		}
		cells += n
	}
	return len(s), cells
}

// Flow puts items behind each other, gap cells apart, and begins a new line
// where the next item would not fit in w cells.
func Flow(items []string, gap, w int) []string {
	var lines []string
	var line string
	for _, item := range items {
		switch {
		case line == "":
			line = item
		case Width(line)+gap+Width(item) <= w:
			line += Blank(gap) + item
		default:
			lines = append(lines, line)
			line = item
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
