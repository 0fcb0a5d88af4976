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

// screenMemory is what the workbench needs for a day of a million requests.
const screenMemory = 96 << 20

// boundScreen is boundMemory for a screen that stays open: a run through the day
// would leave behind what nobody needs for as long as it does. A third of the
// incident is more than what is kept of it.
func boundScreen(path string) {
	info, err := os.Stat(path)
	if err != nil || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	debug.SetMemoryLimit(max(screenMemory, info.Size()/3))
}
