//go:build !unix

package tui

import (
	"errors"
	"os"
)

// notifyStops: there are no such signals here.
func notifyStops(_, _ chan os.Signal) {}

// Run tells that programs cannot be suspended here.
func (stopper) Run() error { return errors.New("this system cannot suspend a program") }
