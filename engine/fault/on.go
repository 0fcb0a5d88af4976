//go:build faults

package fault

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

var (
	place, times = wanted(os.Getenv("IDEM_FAULT"))
	passed       atomic.Int64
)

func wanted(text string) (place string, times int64) {
	place, number, _ := strings.Cut(text, ":")
	times, err := strconv.ParseInt(number, 10, 64)
	if place != "" && err != nil {
		panic("fault: IDEM_FAULT must be NAME:N and is " + text)
	}
	return place, times
}

// Point is a place where the process can die.
func Point(name string) {
	if name != place || passed.Add(1) != times {
		return
	}
	// Kill itself: nothing is flushed, closed or deferred.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {} // until the signal is here
}
