// Command shot draws a terminal's screen as SVG: what `tmux capture-pane -ep`
// prints goes in, the picture of the README comes out.
//
// usage: shot COLUMNS ROWS < capture > picture.svg
package main

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"os"
	"strconv"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: shot COLUMNS ROWS < capture > picture.svg")
		os.Exit(2)
	}
	w, errW := strconv.Atoi(os.Args[1])
	h, errH := strconv.Atoi(os.Args[2])
	text, err := io.ReadAll(os.Stdin)
	if errW != nil || errH != nil || err != nil {
		fmt.Fprintln(os.Stderr, "shot:", errW, errH, err)
		os.Exit(1)
	}
	os.Stdout.WriteString(draw(text, w, h))
}

// Size of a cell in pixels.
const (
	cellW = 8.4
	cellH = 18
)

const (
	background = "#16181d"
	foreground = "#d5d8df"
)

func draw(text []byte, w, h int) string {
	screen := vt.NewEmulator(w, h)
	screen.Write(bytes.ReplaceAll(bytes.TrimRight(text, "\n"), []byte("\n"), []byte("\r\n")))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="'DejaVu Sans Mono','Noto Sans Mono CJK KR',Menlo,Consolas,monospace" font-size="14">`+"\n",
		float64(w)*cellW+24, h*cellH+24)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	for y := range h {
		for x := 0; x < w; {
			x += drawRun(&b, screen, x, y, w)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawRun draws the cells from x on that look alike, and returns how many.
func drawRun(b *bytes.Buffer, screen *vt.Emulator, x, y, w int) int {
	first := screen.CellAt(x, y)
	var run string
	cells := 0
	for x+cells < w {
		c := screen.CellAt(x+cells, y)
		if c == nil || first == nil || !c.Style.Equal(&first.Style) {
			break
		}
		content := c.Content
		if content == "" {
			content = " "
		}
		run += content
		cells += max(c.Width, 1)
	}
	if cells == 0 {
		return 1
	}
	fg, bg, weight := look(first)
	px, py := 12+float64(x)*cellW, 12+y*cellH
	if bg != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", px, py, float64(cells)*cellW, cellH, bg)
	}
	if trimmed := bytes.TrimSpace([]byte(run)); len(trimmed) > 0 {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f" xml:space="preserve">%s</text>`+"\n",
			px, py+14, fg, weight, float64(cells)*cellW, html.EscapeString(run))
	}
	return cells
}

func look(c *uv.Cell) (fg, bg, weight string) {
	fg, bg = hex(c.Style.Fg, foreground), hex(c.Style.Bg, "")
	if c.Style.Attrs&uv.AttrReverse != 0 {
		fg, bg = background, fg
	}
	if c.Style.Attrs&uv.AttrBold != 0 {
		weight = ` font-weight="bold"`
	}
	if c.Style.Attrs&uv.AttrFaint != 0 {
		weight += ` opacity="0.65"`
	}
	return fg, bg, weight
}

func hex(c color.Color, otherwise string) string {
	if c == nil {
		return otherwise
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
