//go:build !linux

package fleet

import "syscall"

func endWithParent(*syscall.SysProcAttr) {}
