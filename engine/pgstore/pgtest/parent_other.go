//go:build !linux

package pgtest

import "syscall"

// endWithParent does nothing: only [Main] stops the server here.
func endWithParent(*syscall.SysProcAttr) {}
