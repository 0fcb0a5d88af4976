// Package printable makes text from logs, ledgers and databases safe to draw
// and print. Such text may hold anything: escape sequences that move the
// cursor or fill the clipboard, marks that turn a line around, characters
// whose width no two terminals agree on.
//
// Every string that was not written by this program goes through here first.
// What is not plainly printable becomes a visible escape, such as \x1b, \n or
// \u202e, of a fixed width. Letters keep their marks where all terminals agree on
// how wide that is; other clusters are escapes, too. A backslash stays one, so that a text that was
// made printable does not change when it is made so again.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis ends a text that was cut.
const Ellipsis = "…"

// Text is s in at most maxCells cells of a terminal, as counted by
// ansi.StringWidth; where it is longer it is cut and ends in an ellipsis.
// The time it takes depends on maxCells and not on the length of s.
func Text(s string, maxCells int) string {
	return fit(s[:shownBytes(len(s), maxCells)], len(s), maxCells, Ellipsis)
}

// Sized is Text, but a text that was cut says its size, as in "abc… 10.0 MB".
// Where there is no room for that, it ends in an ellipsis alone.
func Sized(s string, maxCells int) string {
	mark := Ellipsis + " " + Size(int64(len(s)))
	if len(mark)-len(Ellipsis)+1 > maxCells {
		mark = Ellipsis
	}
	return fit(s[:shownBytes(len(s), maxCells)], len(s), maxCells, mark)
}

// Ends is s in at most maxCells cells; where it is longer, what is left out is its
// middle: around an ellipsis stand its beginning and the last characters of it that
// fit into tail cells, each whole.
func Ends(s string, maxCells, tail int) string {
	type character struct {
		shown string
		width int
	}
	var list []character
	total := 0
	for rest := s; rest != ""; {
		shown, width, n := next(rest)
		list, total, rest = append(list, character{shown, width}), total+width, rest[n:]
	}
	if total <= maxCells || tail >= maxCells {
		return Text(s, maxCells)
	}
	end, room := "", maxCells-1
	for i := len(list) - 1; list[i].width <= tail; i-- {
		end, tail, room = list[i].shown+end, tail-list[i].width, room-list[i].width
	}
	begin := ""
	for i := 0; list[i].width <= room; i++ {
		begin, room = begin+list[i].shown, room-list[i].width
	}
	return begin + Ellipsis + end
}

// shownBytes bounds the bytes of a text of n bytes that maxCells cells can
// show: what is shown as one character takes a cell or more.
func shownBytes(n, maxCells int) int {
	if maxCells >= n/clusterBytes {
		return n
	}
	return min(n, clusterBytes*max(maxCells, 0)+clusterBytes)
}

// fit shows the beginning head of a text of size bytes.
func fit(head string, size, maxCells int, mark string) string {
	if len(head) == size && size <= maxCells && plain(head) {
		return head
	}
	if maxCells < 1 {
		return ""
	}
	room := maxCells - (len(mark) - len(Ellipsis) + 1)
	var b strings.Builder
	cells, cut, seen := 0, 0, 0 // cut is how much of b fits beside the mark
	for seen < len(head) {
		shown, width, n := next(head[seen:])
		if cells += width; cells > maxCells {
			break
		}
		b.WriteString(shown)
		if seen += n; cells <= room {
			cut = b.Len()
		}
	}
	if seen == size {
		return b.String()
	}
	return b.String()[:cut] + mark
}

// plain reports whether s is nothing but printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// next is the first character of s as it is shown, its width in cells, and how
// many bytes of s it takes.
func next(s string) (shown string, width, n int) {
	r, n := utf8.DecodeRuneInString(s)
	ascii := r >= ' ' && r <= '~'
	if ascii && (len(s) == n || s[n] < utf8.RuneSelf) {
		return s[:n], 1, n
	}
	if r >= '가' && r <= '힣' {
		return s[:n], 2, n
	}
	if shown, width, n := letter(s, r, n); n > 0 {
		return shown, width, n
	}
	if ascii {
		return s[:n], 1, n
	}
	if r == utf8.RuneError && n == 1 {
		shown = fmt.Sprintf(`\x%02x`, s[0])
		return shown, len(shown), n
	}
	if stands(r) {
		if width := ansi.StringWidth(s[:n]); width > 0 {
			return s[:n], width, n
		}
	}
	shown = escape(r)
	return shown, len(shown), n
}

// escape writes r the way Go does.
func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// stands reports whether r is visible and stands for itself: it neither joins
// the characters beside it nor depends on them for its width.
func stands(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, ideographicSpace) && !unicode.Is(joining, r)
}

var ideographicSpace = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x3000, Stride: 1}}}

// joining are letters and symbols that are invisible, or that make one cluster
// with a neighbour (Unicode UAX #29): how wide it is, terminals decide
// differently. Marks and format characters are no letters to begin with.
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0d4e, Hi: 0x0d4e, Stride: 1}, // Malayalam letter dot reph
		{Lo: 0x0e33, Hi: 0x0e33, Stride: 1}, // Thai sara am
		{Lo: 0x0eb3, Hi: 0x0eb3, Stride: 1}, // Lao am
		{Lo: 0x1100, Hi: 0x11ff, Stride: 1}, // conjoining Hangul jamo; syllables and ㄱ stay
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // blank braille pattern
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xa960, Hi: 0xa97f, Stride: 1}, // Hangul jamo extended-A
		{Lo: 0xd7b0, Hi: 0xd7ff, Stride: 1}, // Hangul jamo extended-B
		{Lo: 0xff9e, Hi: 0xffa0, Stride: 1}, // halfwidth voiced marks and filler
	},
	R32: []unicode.Range32{
		{Lo: 0x111c2, Hi: 0x111c3, Stride: 1}, // Sharada jihvamuliya, upadhmaniya
		{Lo: 0x1193f, Hi: 0x11941, Stride: 1}, // Dives Akuru prefixed nasal, initial ra
		{Lo: 0x11a3a, Hi: 0x11a3a, Stride: 1}, // Zanabazar cluster-initial ra
		{Lo: 0x11a84, Hi: 0x11a89, Stride: 1}, // Soyombo jihvamuliya and cluster-initial letters
		{Lo: 0x11d46, Hi: 0x11d46, Stride: 1}, // Masaram Gondi repha
		{Lo: 0x11f02, Hi: 0x11f02, Stride: 1}, // Kawi repha
		{Lo: 0x1f1e6, Hi: 0x1f1ff, Stride: 1}, // regional indicators: two make a flag
		{Lo: 0x1f3fb, Hi: 0x1f3ff, Stride: 1}, // skin tones
	},
}
