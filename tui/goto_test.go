package tui

import "testing"

// A position is typed anew each time, and one beyond the day runs nothing.
func TestGotoIsTypedAnew(t *testing.T) {
	inBubble(t, 80, 24, func(t *testing.T, d *driver) {
		d.keys("2 : 5 0 enter")
		d.has(" 50/120 ")
		d.keys(": 6 0 enter")
		d.has(" 60/120 ")
		d.keys(": 1 2 1 enter")
		d.has(" 60/120 ", "there is no request 121, and none that names 121: the last one is 120")
		d.keys(": 7 esc :")
		d.has("key) 7") // left, not entered: it is not lost
	})
}
