package printable

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// mostMarks is how many marks one letter carries; no writing needs more, and a
// heap of them would cover the lines above.
const mostMarks = 4

// clusterBytes bounds what is shown as one character: a letter, its marks, and
// the vowel that Thai and Lao write behind it.
const clusterBytes = utf8.UTFMax * (1 + mostMarks + 1)

// letter is the letter r at the beginning of s with the marks that it carries,
// as is shown, its width, and how many bytes of s it takes; none where it has no
// marks, or such that terminals do not agree on.
//
// It is written composed where Unicode has a composed form, which is the same
// text (UAX #15) and leaves no doubt about its width: a decomposed é, が or 한
// is readable in any terminal.
func letter(s string, r rune, size int) (shown string, width, n int) {
	if unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
		return composed(s)
	}
	for i := range carriers {
		c := &carriers[i]
		if unicode.Is(c.letters, r) && unicode.IsLetter(r) && stands(r) {
			return c.with(s, size)
		}
	}
	return "", 0, 0
}

// carrier says which marks stand above and below the letters of a script and
// take no cell of their own, by all of the width tables in use.
type carrier struct {
	letters, marks *unicode.RangeTable
	am, nikhahit   rune // a vowel that joins its letter, and the mark and letter
	aa             rune // that it is made of; 0 where a script has none
}

var latinMarks = marks(0x0300, 0x033f, 0x0345, 0x034e, 0x0350, 0x035b, 0x0363, 0x036f)

var carriers = []carrier{
	{letters: unicode.Latin, marks: latinMarks},
	{letters: unicode.Greek, marks: latinMarks},
	{letters: unicode.Cyrillic, marks: latinMarks},
	{letters: unicode.Thai, marks: marks(0x0e31, 0x0e31, 0x0e34, 0x0e3a, 0x0e47, 0x0e4e), am: 0x0e33, nikhahit: 0x0e4d, aa: 0x0e32},
	{letters: unicode.Lao, marks: marks(0x0eb1, 0x0eb1, 0x0eb4, 0x0ebc, 0x0ec8, 0x0ecd), am: 0x0eb3, nikhahit: 0x0ecd, aa: 0x0eb2},
}

// marks is a table of the ranges between pairs of characters.
func marks(pairs ...uint16) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for i := 0; i < len(pairs); i += 2 {
		t.R16 = append(t.R16, unicode.Range16{Lo: pairs[i], Hi: pairs[i+1], Stride: 1})
	}
	return t
}

// with is letter for a letter of so many bytes.
func (c *carrier) with(s string, size int) (shown string, width, n int) {
	n = size
	for range mostMarks {
		r, more := utf8.DecodeRuneInString(s[n:])
		if !unicode.Is(c.marks, r) {
			break
		}
		n += more
	}
	width = ansi.StringWidth(s[:size])
	if r, more := utf8.DecodeRuneInString(s[n:]); c.am != 0 && r == c.am {
		// Whether this vowel takes a cell is disputed; what it is made of is not.
		return s[:size] + string(c.nikhahit) + s[size:n] + string(c.aa), width + 1, n + more
	}
	if n == size || width == 0 {
		return "", 0, 0
	}
	return norm.NFC.String(s[:n]), width, n
}

// composed is the syllable or kana at the beginning of s that is written in
// parts, as the one character that it is; none where it is not one.
func composed(s string) (shown string, width, n int) {
	s = s[:min(len(s), clusterBytes)]
	n = norm.NFC.NextBoundaryInString(s, true)
	shown = norm.NFC.String(s[:n])
	r, size := utf8.DecodeRuneInString(shown)
	if size != len(shown) || !stands(r) || !unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
		return "", 0, 0
	}
	return shown, ansi.StringWidth(shown), n
}
