package ingest

import (
	"errors"
	"fmt"
)

// ErrUsage: what was asked for cannot be.
var ErrUsage = errors.New("wrong usage")

// ErrInput: a file is not what it was taken for.
var ErrInput = errors.New("the input does not fit")

// classed is an error of one of the kinds above, whose text says enough.
type classed struct{ kind, err error }

func (c *classed) Error() string { return c.err.Error() }

func (c *classed) Unwrap() []error { return []error{c.kind, c.err} }

func usage(format string, args ...any) error { return &classed{ErrUsage, fmt.Errorf(format, args...)} }

func misfit(format string, args ...any) error { return &classed{ErrInput, fmt.Errorf(format, args...)} }

// Unsettled is the error of something that could be read in two ways. It names
// what settles it.
type Unsettled struct {
	What string
	Flag string
}

func (u *Unsettled) Error() string { return u.What + ": " + u.Flag + " settles it" }

func unsettled(flag, format string, args ...any) error {
	return &Unsettled{fmt.Sprintf(format, args...), flag}
}
