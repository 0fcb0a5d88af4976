package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// broken is a stream that cannot be written to.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// Where nobody reads on, a command ends like one that SIGPIPE ended; any other
// error of a stream is a failure that is told.
func TestOutputThatNobodyReads(t *testing.T) {
	long := strings.Repeat("line\n", 10_000) // more than any buffer holds
	for _, text := range []string{"short", long} {
		write := func(w io.Writer) error { _, err := fmt.Fprint(w, text); return err }
		err := buffered(broken{&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}}, write)
		var c *coded
		if !errors.As(err, &c) || c.code != 141 || c.cause != nil {
			t.Errorf("a closed pipe gives %v", err)
		}
		err = buffered(broken{syscall.ENOSPC}, write)
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "write output: ") || exitCode(err) != exitFailed {
			t.Errorf("a full disk gives %v", err)
		}
	}
	own := errors.New("not about the stream")
	if err := buffered(io.Discard, func(io.Writer) error { return own }); err != own {
		t.Errorf("an error of what is written gives %v", err)
	}
}
