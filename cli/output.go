package cli

import (
	"bufio"
	"fmt"
	"io"
)

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
