//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hold holds a folder for this process; the system releases it when that dies. It is
// [ErrHeld] where another one holds it, or where path is not that folder any more.
// held is false where folders cannot be held: then nobody holds any.
func hold(path string) (release func(), held bool, err error) {
	d, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, ErrHeld
	}
	if err != nil {
		return nil, false, err
	}
	err = flock(d)
	if errors.Is(err, syscall.EWOULDBLOCK) || err == nil && !names(path, d) {
		return nil, false, errors.Join(ErrHeld, d.Close())
	}
	return func() { d.Close() }, err == nil, nil
}

func flock(d *os.File) error {
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// names reports whether a path is that of a file that is open.
func names(path string, f *os.File) bool {
	at, err := os.Lstat(path)
	if err != nil {
		return false
	}
	is, err := f.Stat()
	return err == nil && os.SameFile(at, is)
}

// private reports whether an entry is a folder as os.MkdirTemp makes it, and the
// user's own.
func private(e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil {
		return false
	}
	s, known := info.Sys().(*syscall.Stat_t)
	return known && info.IsDir() && info.Mode().Perm() == 0o700 && int(s.Uid) == os.Geteuid()
}
