//go:build linux || darwin

package analysis

import (
	"io"
	"os"
	"syscall"
)

// SQLite's lock bytes, https://www.sqlite.org/src/file/src/os.h: a writer about
// to commit holds PENDING, one that writes into the file all of SHARED.
const (
	pendingByte = 0x40000000
	sharedFirst = pendingByte + 2
	sharedSize  = 510
)

// lockHolder gives the process that keeps readers out of f: its id, or -1
// where the kernel does not tell. It only asks, and takes no lock itself.
func lockHolder(f *os.File) (pid int, locked bool) {
	for _, r := range []struct{ start, size int64 }{{pendingByte, 1}, {sharedFirst, sharedSize}} {
		lk := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart, Start: r.start, Len: r.size}
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lk); err == nil && lk.Type != syscall.F_UNLCK {
			return int(lk.Pid), true
		}
	}
	return 0, false
}
