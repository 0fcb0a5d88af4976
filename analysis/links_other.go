//go:build !unix

package analysis

import "os"

// severalNames cannot be told here.
func severalNames(os.FileInfo) bool { return false }
