package main

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
)

// place is a call's position in a run: the nth of its name on its file, from 1,
// of all threads together. Threads race each other in another order in each run,
// but what they do to one file they do in one order.
type place struct {
	call, file string
	nth        int
}

func (p place) String() string { return fmt.Sprintf("%s %d of %s", p.call, p.nth, p.file) }

// way is how a call fails. The zero value lets it be.
type way struct {
	name  string
	errno syscall.Errno // it does nothing and answers this
	short bool          // it writes the half, and says so; with errno it is the first that does, and all after it answer errno
	lost  bool          // it does nothing and answers that it did all: a lie of the disk
}

// fault is a call that fails.
type fault struct {
	place
	way
	lasting bool // and all of its name after it, on whatever file
}

func (f fault) String() string {
	text := fmt.Sprintf("%s: %s", f.place, f.way.name)
	if f.lasting {
		text += ", lasting"
	}
	return text
}

// record is what the program called in a run.
type record struct {
	fault *fault
	calls []place       // in the order in which they began
	bytes map[place]int // how much a call was to write, at least one byte
	fired []place       // those that failed
	count map[[2]string]int
}

// enter counts a call that begins and says how it fails.
func (r *record) enter(call, file string, size int) (how way) {
	if runtimes(file) {
		return way{}
	}
	file = numbers.ReplaceAllString(file, "#")
	r.count[[2]string{call, file}]++
	at := place{call, file, r.count[[2]string{call, file}]}
	r.calls, r.bytes[at] = append(r.calls, at), size
	f := r.fault
	if f == nil || call != f.call || at != f.place && !(f.lasting && len(r.fired) > 0) {
		return way{}
	}
	how = f.way
	if how.short && how.errno != 0 {
		how.short = len(r.fired) == 0
	}
	r.fired = append(r.fired, at)
	return how
}

// numbers stand in names for what is another one in each run: process ids, random
// names of temporary files, inodes of sockets.
var numbers = regexp.MustCompile(`[0-9]+`)

// runtimes reports whether a call's file is the Go runtime's own: it takes memory
// that is no file, it wakes itself through an eventfd as often as its scheduler
// happens to want, and dies when it can do neither; and before main begins it asks
// the kernel about the machine.
func runtimes(file string) bool {
	return file == "" || strings.HasPrefix(file, "anon_inode:") || strings.HasPrefix(file, "/proc/") || strings.HasPrefix(file, "/sys/")
}
