//go:build faults

package fault

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// Enabled is true in a program built with -tags faults.
const Enabled = true

var (
	place, times = wanted(os.Getenv("IDEM_FAULT"))
	passed       atomic.Int64
	watcher      atomic.Pointer[func(string) error]
)

func wanted(text string) (place string, times int64) {
	place, number, _ := strings.Cut(text, ":")
	times, err := strconv.ParseInt(number, 10, 64)
	if place != "" && err != nil {
		panic("fault: IDEM_FAULT must be NAME:N and is " + text)
	}
	return place, times
}

// Watch has fn called at each place, on the goroutine that comes there; nil ends
// it.
func Watch(fn func(place string) error) {
	if fn == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&fn)
}

// Point is a place where the process can die. Its error is that of a watcher who
// makes the place fail: what would follow is to count as failed.
func Point(name string) error {
	if fn := watcher.Load(); fn != nil {
		return (*fn)(name)
	}
	if name != place || passed.Add(1) != times {
		return nil
	}
	// Kill itself: nothing is flushed, closed or deferred.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {} // until the signal is here
}
