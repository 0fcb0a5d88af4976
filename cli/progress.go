package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// progress tells how far a long run is, on a stderr that is a terminal, from its
// second second on.
type progress struct {
	mu    sync.Mutex
	out   io.Writer // nil: silent
	what  string
	start time.Time
	last  time.Time
	shown bool
}

// Times of the progress line.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

func newProgress(w io.Writer, what string) *progress {
	p := &progress{what: what, start: time.Now()}
	if isTerminal(w) {
		p.out = w
	}
	return p
}

// report is told how much of how much is done; total 0 means unknown.
func (p *progress) report(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.out == nil || now.Sub(p.start) < progressAfter || now.Sub(p.last) < progressEvery {
		return
	}
	p.last, p.shown = now, true
	if total <= 0 {
		fmt.Fprintf(p.out, "\r%s %d\x1b[K", p.what, done)
		return
	}
	fmt.Fprintf(p.out, "\r%s %d of %d (%d %%)\x1b[K", p.what, done, total, 100*done/total)
}

// done wipes the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	p.out = nil
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// interactive reports whether the workbench can run: a terminal on both sides
// that is able to move its cursor.
func interactive(s streams) bool {
	kind := os.Getenv("TERM")
	return isTerminal(s.in) && isTerminal(s.out) && kind != "" && kind != "dumb"
}
