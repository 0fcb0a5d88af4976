package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Private makes a folder in dir, or where temporary files go if that is "", for what
// is unfinished and for what nobody but the user is to see. Its name is prefix and a
// number. done removes it with all that is in it; who drops done gives it away.
//
// A process that is killed cannot. So each holds its folders while it lives, and
// Private first removes those of the same prefix, beside the new one, that the user
// owns and nobody holds. Where the system knows no such holding they stay.
func Private(dir, prefix string) (path string, done func() error, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	sweep(dir, prefix)
	// Another process that sweeps may come between the making and the holding.
	for range 100 {
		if path, err = os.MkdirTemp(dir, prefix); err != nil {
			return "", nil, cannotMake(err)
		}
		release, _, err := hold(path)
		switch {
		case err == nil:
			return path, func() error { defer release(); return os.RemoveAll(path) }, nil
		case !errors.Is(err, ErrHeld):
			return "", nil, errors.Join(err, os.Remove(path))
		}
	}
	return "", nil, fmt.Errorf("other processes remove the folders %s* in %q", prefix, dir)
}

// cannotMake tells of what was to be done; the system's call says nothing to anybody.
func cannotMake(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "create", Path: p.Path, Err: p.Err}
	}
	return err
}

// Hold holds a folder for whoever changes what is in it by more than one step, until
// release is called or the process dies. It is [ErrHeld] where another one holds it,
// in this process or not; dir must be no link. Where folders cannot be held, all may
// come in at once.
func Hold(dir string) (release func(), err error) {
	release, _, err = hold(dir)
	return release, err
}

// ErrHeld: another one holds the folder, or has removed it.
var ErrHeld = errors.New("another process has the folder")

// sweep removes what processes that were killed left. What it cannot remove stays.
func sweep(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), prefix)
		if !ours || !e.IsDir() || strings.Trim(number, "0123456789") != "" || !private(e) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		release, held, err := hold(path)
		if err != nil {
			continue
		}
		if held {
			_ = os.RemoveAll(path)
		}
		release()
	}
}
