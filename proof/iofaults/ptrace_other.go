//go:build !(linux && amd64)

package main

import (
	"errors"
	"syscall"
)

// tracer is what there is on Linux on amd64 only.
type tracer struct {
	enter func(call, file string, size int) way
	dir   string
}

func (t *tracer) run(string, []string, *syscall.ProcAttr, func(pid int)) (code int, err error) {
	return 0, errors.ErrUnsupported
}
