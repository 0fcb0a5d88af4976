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

// Lines draws text in lines of at most w cells, for a dark or a light terminal,
// or without any colour. It takes some 10 ms a page.
func Lines(text string, w int, dark, colour bool) ([]string, error) {
	r, err := glamour.NewTermRenderer(glamour.WithStyles(style(dark, colour)), glamour.WithWordWrap(max(1, w)), glamour.WithTableWrap(true))
	if err != nil {
		return nil, err
	}
	drawn, err := r.Render(text)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.Trim(drawn, "\n"), "\n")
	for i, line := range lines {
		lines[i] = cells.Cut(strings.TrimRight(clean(line, colour), " "), w)
	}
	return lines, nil
}

func style(dark, colour bool) ansi.StyleConfig {
	s := styles.ASCIIStyleConfig
	switch {
	case colour && dark:
		s = styles.DarkStyleConfig
	case colour:
		s = styles.LightStyleConfig
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
