package tui

import (
	"testing"
)

func TestFilterGrammarOnIncident(t *testing.T) {
	inBubble(t, 100, 30, func(t *testing.T, d *driver) {
		d.keys("/")
		d.m.asking.line.Insert("client:shop-1")
		d.keys("a backspace")
		d.has("› ", "of 18 keys hidden", "f lifts it")
		d.keys("enter f")
		d.has("filter lifted for a moment: client:shop-1", "8418cc84")
		d.keys("f")
		d.has("of 18 keys hidden")
		d.keys("esc f")
		d.has("f: there is no filter")
	})
}

// What is wrong with a query is told while it is typed, and enter waits until
// it is right.
func TestFilterTellsWhatIsWrong(t *testing.T) {
	inBubble(t, 100, 30, func(t *testing.T, d *driver) {
		d.keys("/ o u t c o m e : 4")
		d.has("outcome:4 cannot be asked here")
		d.keys("enter")
		if d.m.asking == nil {
			t.Error("enter took a wrong query")
		}
		d.keys("esc")
		d.hasNot("hidden")
		d.has("8418cc84")
	})
}
