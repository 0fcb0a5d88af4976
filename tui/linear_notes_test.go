package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Marks are kept by the content, told, and written beside the report.
func TestLinearMarks(t *testing.T) {
	cfg := labConfig(t)
	cfg.StateDir = t.TempDir()
	said := speak(t, cfg, "mark too early", "next 6", "mark the retry", "goto 46", "mark", "marks later")
	for _, want := range []string{"Error: no request has been sent yet.", "Request 6 is marked; marks tells them all.", "Request 46 is marked", "Error: marks tells them"} {
		if !strings.Contains(said, want) {
			t.Errorf("not said: %q in\n%s", want, said)
		}
	}
	said = speak(t, cfg, "marks write")
	if !strings.Contains(said, "Request 6, 2026-03-10 09:25:04.055: the retry.\nRequest 46, 2026-03-10 12:15:49.911: marked.\n2 marks in all.\nNotes written into ") {
		t.Errorf("said\n%s", said)
	}
	text, err := os.ReadFile(filepath.Join(cfg.OutDir, NotesFile))
	if err != nil || !strings.Contains(string(text), "| the retry |") {
		t.Errorf("%v: %s", err, text)
	}
}
