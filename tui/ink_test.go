package tui

import (
	"testing"

	"charm.land/lipgloss/v2"
)

// An ink paints a line as lipgloss does.
func TestInkIsLipgloss(t *testing.T) {
	styles := []lipgloss.Style{
		lipgloss.NewStyle(), lipgloss.NewStyle().Bold(true), lipgloss.NewStyle().Reverse(true),
		lipgloss.NewStyle().Foreground(lipgloss.Color("#ff7b7b")), lipgloss.NewStyle().Foreground(lipgloss.Color("#ff7b7b")).Bold(true),
	}
	for _, style := range styles {
		for _, text := range []string{" ", "plain", " 한글 ", "a \x1b[1mb\x1b[m c"} {
			if got, want := newInk(style).Render(text), style.Render(text); got != want {
				t.Errorf("%q is painted %q, want %q", text, got, want)
			}
			if got, want := newInk(style).bold().Render(text), style.Bold(true).Render(text); got != want {
				t.Errorf("%q is painted bold %q, want %q", text, got, want)
			}
		}
	}
}
