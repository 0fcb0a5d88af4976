//go:build unix

package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

type evidence string

func (e evidence) Path() string { return string(e) }

// TestNoDeviceIsReplaced: a name that leads to a pipe, a device or a standard
// stream stays what it is.
func TestNoDeviceIsReplaced(t *testing.T) {
	dir := t.TempDir()
	pipe, link, stream := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "stream")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link), os.Symlink("/proc/self/fd/1", stream)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, stream} {
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		err = WriteFile(t.Context(), path, evidence(filepath.Join(dir, "day.db")), func(io.Writer) error {
			t.Errorf("%s: something is written", path)
			return nil
		})
		if !errors.Is(err, errNoFile) {
			t.Errorf("%s: %v, want %v", path, err, errNoFile)
		}
		if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s is another file now (%v)", path, err)
		}
	}
}
