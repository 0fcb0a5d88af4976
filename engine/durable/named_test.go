package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		err  error
		tmp  string
		want string
	}{
		{fmt.Errorf("x: %w", &fs.PathError{Op: "write", Path: "d/.t", Err: syscall.EIO}), "d/.t", "write d/name: "},
		{&fs.PathError{Op: "open", Path: "d/.t99", Err: fs.ErrPermission}, "", "open d/name: "},
		{&fs.PathError{Op: "read", Path: "source", Err: syscall.EIO}, "d/.t", "read source: "},
		{&os.LinkError{Op: "rename", Old: "d/.t", New: "d/name", Err: syscall.EISDIR}, "d/.t", "rename d/name: "},
		{&fs.PathError{Op: "write", Path: "d/.t", Err: syscall.ENOSPC}, "d/.t", "make room"},
		{nil, "d/.t", ""},
	} {
		got := Named(c.err, c.tmp, "d/name")
		if c.err == nil {
			if got != nil {
				t.Error(got)
			}
			continue
		}
		if !strings.Contains(got.Error(), c.want) || strings.Contains(got.Error(), ".t") || errors.Unwrap(got) == nil {
			t.Errorf("%v is told as %v", c.err, got)
		}
	}
}
