package terminal

import (
	"strconv"
	"testing"
)

// A terminal that is too small takes no key but quit.
func TestTooSmall(t *testing.T) {
	s := newShell(t, 80, 24)
	s.start("--out small")
	s.tmux("resize-window", "-x", "20", "-y", "5")
	s.until("needs 60x15")
	s.keys("2", "G", "n", "/", "x", "Escape", "w", "C-p")
	s.tmux("resize-window", "-x", "80", "-y", "24")
	s.until("double paid", theDay) // the first screen, not the second
	s.keys("2")
	s.until(" 0/120 ")
	s.tmux("resize-window", "-x", "20", "-y", "5")
	s.until("needs 60x15")
	s.keys("q")
	s.code(0)
}

// Two hundred sizes, as fast as a terminal can be told of them, while the day
// plays.
func TestResizeStorm(t *testing.T) {
	s := newShell(t, 80, 24)
	s.start("--out storm")
	s.keys("2", "Space")
	s.until("▶ 4x") // before it is too small for keys to count
	for i := range 200 {
		s.tmux("resize-window", "-x", strconv.Itoa(1+i*13%140), "-y", strconv.Itoa(1+i*7%50))
	}
	s.tmux("resize-window", "-x", "80", "-y", "24")
	s.until("2 Replay", "created")
	s.keys("G") // the day goes on where it was
	s.until("120/120", "5 files written")
	s.keys("q")
	s.ended(0)
	s.whole("storm")
}
