package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Named is an error of writing a file that was to get a name last, told of that
// name: what the unfinished file was called says nothing to anybody, and it is
// gone. tmp is "" where it could not even be made. A full disk is told with the
// way out.
func Named(err error, tmp, name string) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p) && (tmp == "" || p.Path == tmp):
		err = &fs.PathError{Op: p.Op, Path: name, Err: p.Err}
	case errors.As(err, &l) && l.Old == tmp:
		err = &fs.PathError{Op: l.Op, Path: name, Err: l.Err}
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w; make room there or name another place", err)
	}
	return err
}
