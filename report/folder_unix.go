//go:build unix

package report

import "syscall"

// mayMakeFiles asks the system whether files can be made in a folder.
func mayMakeFiles(dir string) error {
	const writeAndSearch = 0o2 | 0o1 // W_OK | X_OK
	return syscall.Access(dir, writeAndSearch)
}
