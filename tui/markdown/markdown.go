// Package markdown draws Markdown as lines for the terminal. Of what the text
// holds only SGR sequences of our own reach the lines: no other escape and no
// control character, however it was spelled in the text.
package markdown

import (
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/ansi"
	"charm.land/glamour/v2/styles"
	xansi "github.com/charmbracelet/x/ansi"

	"idem/analysis/printable"
	"idem/tui/cells"
)

// Look is the colours of a page, as lipgloss knows them. What is none of these has
// the terminal's own. The zero Look has no colour at all.
type Look struct{ Heading, Code, Link string }

// Lines draws text in lines of at most w cells. It takes some 10 ms a page.
func Lines(text string, w int, look Look) ([]string, error) {
	r, err := glamour.NewTermRenderer(glamour.WithStyles(look.style()), glamour.WithWordWrap(max(1, w)), glamour.WithTableWrap(true))
	if err != nil {
		return nil, err
	}
	drawn, err := r.Render(text)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.Trim(drawn, "\n"), "\n")
	for i, line := range lines {
		lines[i] = cells.Cut(strings.TrimRight(clean(line, look != Look{}), " "), w)
	}
	return lines, nil
}

// style is the library's, with its colours replaced: they are chosen for one
// background each, and know nothing of a theme.
func (l Look) style() ansi.StyleConfig {
	s := styles.ASCIIStyleConfig
	if l != (Look{}) {
		s = styles.DarkStyleConfig
		s.Document.Color, s.HorizontalRule.Color, s.Image.Color, s.ImageText.Color = nil, nil, nil, nil
		s.Heading.Color, s.Link.Color, s.LinkText.Color = &l.Heading, &l.Link, &l.Link
		s.H1.Color, s.H1.BackgroundColor, s.H6.Color = &l.Heading, nil, nil
		s.Code.Color, s.Code.BackgroundColor = &l.Code, nil
		s.CodeBlock.Color, s.CodeBlock.Chroma = nil, nil
	}
	none := uint(0)
	s.Document.Margin = &none
	s.Document.BlockPrefix, s.Document.BlockSuffix = "", ""
	s.Code.Prefix, s.Code.Suffix = "", ""
	return s
}

// clean lets text and SGR sequences through and makes the rest visible. A
// Markdown text can spell an escape as an entity, which nothing before the
// drawing could have seen.
func clean(line string, sgr bool) string {
	var b strings.Builder
	var state byte
	for rest := line; rest != ""; {
		seq, width, n, next := xansi.DecodeSequence(rest, state, nil)
		state, rest = next, rest[n:]
		switch {
		case width > 0:
			b.WriteString(printable.Text(seq, 12))
		case isSGR(seq):
			if sgr {
				b.WriteString(seq)
			}
		default:
			b.WriteString(printable.Text(seq, 12))
		}
	}
	return b.String()
}

// isSGR: CSI, figures, m and nothing else.
func isSGR(seq string) bool {
	if !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") {
		return false
	}
	return strings.Trim(seq[2:len(seq)-1], "0123456789;:") == ""
}
