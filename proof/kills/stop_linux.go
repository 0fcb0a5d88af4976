package main

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// stop stops a process, all its threads. It is false when it has ended.
func (p *process) stop() bool {
	if p.Process.Signal(unix.SIGSTOP) != nil {
		return false
	}
	for {
		var state unix.Siginfo
		err := unix.Waitid(unix.P_PID, p.Process.Pid, &state, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		return err == nil && state.Code == cldStopped
	}
}

// cldStopped is CLD_STOPPED of signal.h.
const cldStopped = 5

func (p *process) goOn() error { return p.Process.Signal(unix.SIGCONT) }

// These are the bytes of a database's -shm file that SQLite locks while it writes,
// checkpoints and recovers, as https://sqlite.org/walformat.html has them.
const (
	writeLock = 120 + iota
	checkpointLock
	recoverLock
)

// look says which of SQLite's locks a process holds.
func (p *process) look(db string) (at place, err error) {
	shm, err := os.Open(db + "-shm")
	if os.IsNotExist(err) {
		return at, nil
	}
	if err != nil {
		return at, err
	}
	defer shm.Close()
	for _, lock := range []struct {
		at   int64
		held *bool
	}{{writeLock, &at.transaction}, {checkpointLock, &at.checkpoint}, {recoverLock, &at.recovery}} {
		asked := unix.Flock_t{Type: unix.F_RDLCK, Whence: 0, Start: lock.at, Len: 1}
		if err := unix.FcntlFlock(shm.Fd(), unix.F_GETLK, &asked); err != nil {
			return at, fmt.Errorf("read SQLite's locks: %w", err)
		}
		*lock.held = asked.Type == unix.F_WRLCK && int(asked.Pid) == p.Process.Pid
	}
	if at.recovery { // it takes the other locks as well
		at.transaction, at.checkpoint = false, false
	}
	return at, nil
}

// child makes a process end with this one.
func child() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL} }
