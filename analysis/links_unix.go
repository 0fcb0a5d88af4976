//go:build unix

package analysis

import (
	"os"
	"syscall"
)

// severalNames reports whether a file has further names: hard links.
func severalNames(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
