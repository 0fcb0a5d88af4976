package cli

import (
	"os"
	"runtime/debug"
	"sync"
)

// How much garbage may gather, in percent of what is kept. What is kept of each
// row of a large day has no pointers, so that looking for garbage costs little
// there, and twice its room would be much. Of what is found it costs more. A
// program that stays open should not keep what nobody needs for as long as it is.
const (
	usualGarbage = 100 // Go's own
	lessGarbage  = 50
	largeGarbage = 25
)

// garbage is what is let gather now.
var garbage = struct {
	mu    sync.Mutex
	usual int
	large int // steps under way that keep something of each row
}{usual: usualGarbage}

// gatherLess has less garbage gather from now on. What the user has set (GOGC,
// GOMEMLIMIT) stays.
func gatherLess() {
	garbage.mu.Lock()
	defer garbage.mu.Unlock()
	garbage.usual = lessGarbage
	letGather()
}

// large has little garbage gather until the returned function is called: while a
// step keeps something of each row. Several may run at a time.
func large() (done func()) {
	count := func(n int) {
		garbage.mu.Lock()
		defer garbage.mu.Unlock()
		garbage.large += n
		letGather()
	}
	count(1)
	return func() { count(-1) }
}

func letGather() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	percent := garbage.usual
	if garbage.large > 0 {
		percent = largeGarbage
	}
	debug.SetGCPercent(percent)
}
