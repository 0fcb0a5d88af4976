//go:build !unix

package durable

import "io/fs"

// hold holds nothing: where a system releases nothing at a process' end, what one
// that was killed left cannot be told from what is in use.
func hold(string) (release func(), held bool, err error) { return func() {}, false, nil }

// private is false, so that nothing is swept.
func private(fs.DirEntry) bool { return false }
