package cli

import (
	"runtime/debug"
	"testing"
)

// TestLarge: the little garbage of a step that keeps much ends with the last of
// the steps under way, and what the user has set stays.
func TestLarge(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	t.Setenv("GOGC", "")
	was := debug.SetGCPercent(usualGarbage)
	defer debug.SetGCPercent(was)
	percent := func() int {
		now := debug.SetGCPercent(usualGarbage)
		debug.SetGCPercent(now)
		return now
	}
	first, second := large(), large()
	first()
	if got := percent(); got != largeGarbage {
		t.Errorf("%d %% gather while a step is under way, want %d", got, largeGarbage)
	}
	second()
	if got := percent(); got != garbage.usual {
		t.Errorf("%d %% gather after the steps, want %d", got, garbage.usual)
	}
	t.Setenv("GOGC", "300")
	debug.SetGCPercent(300)
	large()()
	if got := percent(); got != 300 {
		t.Errorf("%d %% gather, want the user's 300", got)
	}
}
