package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// known are the calls that may fail, by their numbers: which argument tells their
// file, and whether by a path or by a descriptor.
var known = map[uint64]struct {
	name string
	arg  int
	path bool
}{
	unix.SYS_READ: {"read", 0, false}, unix.SYS_PREAD64: {"pread64", 0, false}, unix.SYS_GETDENTS64: {"getdents64", 0, false},
	unix.SYS_WRITE: {"write", 0, false}, unix.SYS_PWRITE64: {"pwrite64", 0, false}, unix.SYS_FTRUNCATE: {"ftruncate", 0, false},
	unix.SYS_FSYNC: {"fsync", 0, false}, unix.SYS_FDATASYNC: {"fdatasync", 0, false}, unix.SYS_MMAP: {"mmap", 4, false},
	unix.SYS_OPEN: {"open", 0, true}, unix.SYS_OPENAT: {"openat", 1, true}, unix.SYS_MKDIRAT: {"mkdirat", 1, true},
	unix.SYS_RENAMEAT: {"renameat", 1, true}, unix.SYS_UNLINK: {"unlink", 0, true}, unix.SYS_UNLINKAT: {"unlinkat", 1, true},
}

// tracer runs a program by ptrace(2) and asks enter about each known call of any
// of its threads as it begins.
type tracer struct {
	enter  func(call, file string, size int) way
	dir    string       // files in it are named from there
	inside map[int]bool // the threads, and whether they are in a call
}

// run starts the program, hands out its process id and returns its exit code,
// 128 when a signal ended it.
func (t *tracer) run(path string, args []string, attr *syscall.ProcAttr, started func(pid int)) (code int, err error) {
	runtime.LockOSThread() // the kernel takes a tracer's orders from its own thread only
	defer runtime.UnlockOSThread()
	attr.Sys = &syscall.SysProcAttr{Ptrace: true}
	pid, err := syscall.ForkExec(path, args, attr)
	if err != nil {
		return 0, err
	}
	started(pid)
	status, err := t.follow(pid)
	switch {
	case err != nil:
		_ = unix.Kill(pid, unix.SIGKILL)
		return 0, err
	case status.Signaled():
		return 128, nil
	}
	return status.ExitStatus(), nil
}

// follow lets the threads go from stop to stop until the program ends.
func (t *tracer) follow(pid int) (status unix.WaitStatus, err error) {
	if _, err := wait(pid, &status); err != nil {
		return status, err
	}
	const options = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(pid, options); err != nil {
		return status, fmt.Errorf("ptrace: %w", err)
	}
	t.inside = map[int]bool{pid: false}
	thread, signal := pid, 0
	for {
		if status.Stopped() {
			if err := gone(unix.PtraceSyscall(thread, signal)); err != nil {
				return status, fmt.Errorf("ptrace: %w", err)
			}
		}
		thread, err = wait(-1, &status)
		switch {
		case err != nil:
		case status.Stopped():
			signal, err = t.stopped(thread, status.StopSignal())
		case thread == pid:
			return status, nil
		default:
			delete(t.inside, thread)
		}
		if err != nil {
			return status, err
		}
	}
}

// wait waits for a child of this thread; those of others are not its business.
func wait(pid int, status *unix.WaitStatus) (thread int, err error) {
	for {
		thread, err = unix.Wait4(pid, status, unix.WALL|unix.WNOTHREAD, nil)
		if err != unix.EINTR {
			return thread, os.NewSyscallError("wait4", err)
		}
	}
}

// stopped looks why a thread stopped and returns the signal that it goes on with.
func (t *tracer) stopped(thread int, why unix.Signal) (signal int, err error) {
	inside, old := t.inside[thread]
	switch {
	case why == unix.SIGTRAP|0x80: // a call begins or ends
		t.inside[thread] = !inside
		if !inside {
			err = t.begins(thread)
		}
		return 0, err
	case why == unix.SIGTRAP: // a thread is made
		return 0, nil
	case why == unix.SIGSTOP && !old: // it is the new one
		t.inside[thread] = false
		return 0, nil
	}
	return int(why), nil
}

// begins lets a call fail or not.
func (t *tracer) begins(thread int) error {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(thread, &regs); err != nil {
		return gone(err)
	}
	call, ok := known[regs.Orig_rax]
	if !ok {
		return nil
	}
	if int64(regs.Rax) != -int64(unix.ENOSYS) {
		return errors.New("ptrace: a call's end was taken for its beginning")
	}
	arg := [...]uint64{regs.Rdi, regs.Rsi, regs.Rdx, regs.R10, regs.R8, regs.R9}[call.arg]
	file, err := descriptor(thread, int32(arg))
	if call.path {
		file, err = text(thread, uintptr(arg))
	}
	if err != nil {
		return gone(err)
	}
	how := t.enter(call.name, strings.TrimPrefix(file, t.dir+"/"), int(regs.Rdx))
	if how == (way{}) {
		return nil
	}
	how.into(call.name, &regs)
	return gone(unix.PtraceSetRegs(thread, &regs))
}

// into puts a way to fail into the registers of a call that begins. A call without
// a number does nothing and answers what stands in the answer's register already.
func (w way) into(call string, regs *unix.PtraceRegs) {
	if w.short {
		regs.Rdx -= regs.Rdx / 2
		return
	}
	switch {
	case w.errno != 0:
		regs.Rax = -uint64(w.errno)
	case strings.HasSuffix(call, "sync"):
		regs.Rax = 0
	default:
		regs.Rax = regs.Rdx
	}
	regs.Orig_rax = ^uint64(0)
}

// gone is no error where the thread was killed as it stood.
func gone(err error) error {
	if errors.Is(err, unix.ESRCH) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// descriptor is the name of an open file, "" when there is none.
func descriptor(thread int, number int32) (string, error) {
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, number))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return name, err
}

// text reads a string of C of a thread's memory.
func text(thread int, at uintptr) (string, error) {
	var word [8]byte
	for b := []byte(nil); ; at += uintptr(len(word)) {
		if _, err := unix.PtracePeekData(thread, at, word[:]); err != nil {
			return "", err
		}
		if end := bytes.IndexByte(word[:], 0); end >= 0 {
			return string(append(b, word[:end]...)), nil
		}
		b = append(b, word[:]...)
	}
}
