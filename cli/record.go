package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// recordFlags ask for a recording of what the workbench shows.
type recordFlags struct {
	file  string
	idle  time.Duration
	force bool
}

// idleDefault is the longest pause of a recording unless another is named.
const idleDefault = 2 * time.Second

func (r *recordFlags) register(f *pflag.FlagSet) {
	f.StringVar(&r.file, "record", "", "record what is on the screen into this new asciicast file (asciinema play shows it)")
	f.DurationVar(&r.idle, "record-idle", idleDefault, "the longest pause that the recording keeps; 0 keeps all")
	f.BoolVar(&r.force, "force", false, "replace the file of --record when it exists")
}

// recording is a file that a recording is written to, line by line. After a line
// that could not be written whole it ends with the one before.
type recording struct {
	file *os.File
	size int64
}

func (r *recording) Write(b []byte) (int, error) {
	n, err := r.file.Write(b)
	if err != nil {
		// What is left of the line goes, or the file stays as it is: the first error
		// is the one to tell.
		_ = r.file.Truncate(r.size)
		return n, err
	}
	r.size += int64(n)
	return n, nil
}

// open makes the recording's file, nil where none is asked for. The input is
// never what is replaced.
func (r *recordFlags) open(input string) (*recording, error) {
	if r.file == "" {
		return nil, nil
	}
	if sameFile(r.file, input) {
		return nil, usageError("--record names the incident database; name another file")
	}
	if r.force {
		if err := os.Remove(r.file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("--record: %w", err)
		}
	}
	f, err := newFile(r.file, "--record")
	if err != nil {
		return nil, err
	}
	return &recording{file: f}, nil
}

// check tells of flags that cannot be, or mean nothing.
func (r *recordFlags) check() error {
	switch {
	case r.file == "" && (r.force || r.idle != idleDefault):
		return usageError("--force and --record-idle belong to --record")
	case r.idle < 0:
		return usageError("--record-idle must not be negative")
	}
	return nil
}

// closedAfter has the recording on the disk once what it shows has ended with err.
func (r *recording) closedAfter(err error) error {
	if r == nil {
		return err
	}
	if failed := errors.Join(r.file.Sync(), r.file.Close()); failed != nil {
		return errors.Join(err, fmt.Errorf("--record: %w", failed))
	}
	return err
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// completeRecord completes the name of a recording.
func completeRecord(cmd *cobra.Command) {
	// The flag is there: it was registered a line before.
	_ = cmd.RegisterFlagCompletionFunc("record", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"cast"}, cobra.ShellCompDirectiveFilterFileExt
	})
}
