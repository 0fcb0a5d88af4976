package frame

import (
	"strings"
	"testing"

	"idem/tui/cells"
)

func plain(s string) string { return s }

func TestCard(t *testing.T) {
	got := strings.Join(Card("paid", "42", 12, plain, plain), "\n")
	want := "╭ paid ────╮\n│    42    │\n╰──────────╯"
	if got != want {
		t.Errorf("Card:\n%s\nwant:\n%s", got, want)
	}
}

func TestExactAtEveryWidth(t *testing.T) {
	for w := range 60 {
		card := Card("a title of some length", "한글 1,234,567", w, plain, plain)
		for _, line := range append(card, Rule("a title of some length", w, plain, plain), Rule("", w, plain, plain)) {
			if got := cells.Width(line); got != w {
				t.Errorf("%d cells, want %d: %q", got, w, line)
			}
		}
		if len(card) != 3 {
			t.Errorf("a card of %d lines", len(card))
		}
	}
}
