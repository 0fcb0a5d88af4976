package cli

import (
	"math"
	"os"
	"runtime/debug"
)

// leastMemory is what a day of a million requests needs with room to spare.
const leastMemory = 300 << 20

// boundMemory has garbage collected as memory nears the size of the incident.
// Without that a large day takes twice what it needs, as each of its steps
// leaves much behind. A limit that the user has set (GOMEMLIMIT) stays.
func boundMemory(path string) {
	info, err := os.Stat(path)
	if err != nil || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	debug.SetMemoryLimit(max(leastMemory, info.Size()))
}

// What the workbench lets gather: garbage in percent of what is kept, and about
// how much memory a day of a million requests may take while it is analysed.
const (
	screenGarbage = 50
	screenMemory  = 128 << 20
)

// boundScreen has less garbage gather in a program that stays open: a run through
// the day leaves behind what nobody needs for as long as it is. The limit grows
// with the incident, because a day that keeps more than it would be collected
// without end. What the user has set (GOGC, GOMEMLIMIT) stays.
func boundScreen(path string) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(screenGarbage)
	}
	info, err := os.Stat(path)
	if err == nil && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(max(screenMemory, info.Size()))
	}
}
