//go:build unix

package ingest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNoDeviceIsReplaced: Force replaces files, not a pipe or what a link names.
func TestNoDeviceIsReplaced(t *testing.T) {
	dir := t.TempDir()
	log, pipe, link := filepath.Join(dir, "r.csv"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	text := "time_utc,key\n2026-03-10T09:00:00Z,k\n"
	if err := errors.Join(os.WriteFile(log, []byte(text), 0o600), syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{pipe: fs.ModeNamedPipe, link: fs.ModeSymlink} {
		if _, err := Import(t.Context(), Options{Requests: []string{log}, Out: path, Force: true}); err == nil {
			t.Errorf("%s is replaced", path)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != mode {
			t.Errorf("%s is another file now (%v)", path, err)
		}
	}
}
