package cli

import (
	"bufio"
	"fmt"
	"io"
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
		o.err = fmt.Errorf("write output: %w", err)
	}
	return n, err
}

// buffered writes to a stream and reports what a full disk or a closed pipe said.
func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriter(w)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}
