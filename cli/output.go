package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"syscall"
)

// watched is a stream that remembers the first error of a write. Help and
// completions are printed by a library that does not look at it.
type watched struct {
	w   io.Writer
	err error
}

func (o *watched) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = outputError(err)
	}
	return n, err
}

// outputError is what a stream said. Where nobody reads it any more the program
// ends as that signal would have ended it, but its private files are taken away.
func outputError(err error) error {
	err = fmt.Errorf("write output: %w", err)
	if errors.Is(err, syscall.EPIPE) {
		return &coded{code: exitSignal + int(syscall.SIGPIPE)}
	}
	return err
}

// buffered writes to a stream and reports what a full disk or a closed pipe said.
func buffered(w io.Writer, write func(io.Writer) error) error {
	o := &watched{w: w}
	b := bufio.NewWriter(o)
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	if o.err != nil {
		return o.err
	}
	return err
}
