//go:build unix

package tui

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// notifyStops tells when somebody wants the program to stop, and when it goes on.
func notifyStops(stopped, resumed chan os.Signal) {
	signal.Notify(stopped, syscall.SIGTSTP)
	signal.Notify(resumed, syscall.SIGCONT)
}

// Run stops the process group, as ctrl+z in a shell does, and returns once it
// goes on. It is SIGSTOP that stops: a Go program that has once caught SIGTSTP
// cannot give it its default effect back. And because SIGSTOP also stops where
// nobody could continue, it is not sent there.
func (s stopper) Run() error {
	if !continuable() {
		return errNoShell
	}
	paintingEnds()
	for len(s.resumed) > 0 {
		<-s.resumed
	}
	if err := syscall.Kill(0, syscall.SIGSTOP); err != nil {
		return err
	}
	// Whoever runs this line again has been continued, or will be stopped in a
	// moment. Time goes on for a stopped process, so a SIGCONT that the runtime
	// did not pass on costs no more than this.
	select {
	case <-s.resumed:
	case <-time.After(stopGrace):
	}
	return nil
}

// paintingEnds waits until the library's painter of before has ended. The last
// thing that it does is to stop a ticker that the next painter shares
// (Program.startRenderer of Bubble Tea 2.1.1). A process that is stopped between
// that painter's word and its deed does so after the next one has set the ticker
// going, and never paints again. Nothing but its stack tells that it is there.
func paintingEnds() {
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(stopGrace); time.Now().Before(end); time.Sleep(time.Millisecond) {
		n := runtime.Stack(stacks, true)
		if !bytes.Contains(stacks[:n], []byte("(*Program).startRenderer.func")) {
			return
		}
	}
}

// stopGrace is longer than it takes a process to stop itself.
const stopGrace = time.Second

var errNoShell = errors.New("there is no shell that could continue")

// continuable reports whether an ancestor outside our process group, but in our
// session, is there to see us stopped: a shell with job control.
func continuable() bool {
	group := syscall.Getpgrp()
	session, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	for pid := os.Getppid(); pid > 1; pid = parent(pid) {
		if g, err := syscall.Getpgid(pid); err != nil || g != group {
			s, failed := unix.Getsid(pid)
			return err == nil && failed == nil && s == session
		}
	}
	return false
}

// parent is the parent of another process; 0 where the system does not tell.
func parent(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold anything, so the fields count from its end.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(fields[1])
	return n
}
