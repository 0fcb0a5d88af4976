package analysis

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"idem/engine/sqlitestore/sqlfile"
)

func TestTempError(t *testing.T) {
	for _, c := range []struct {
		err  error
		full bool
	}{
		{fmt.Errorf("x: %w", &fs.PathError{Op: "write", Path: "p", Err: syscall.ENOSPC}), true},
		{fmt.Errorf("x: %w", &sqlfile.Error{Code: sqlfile.Full}), true},
		{fmt.Errorf("x: %w", &sqlfile.Error{Code: sqlfile.Corrupt}), false},
		{syscall.EROFS, false}, {nil, false},
	} {
		got := TempError(c.err)
		if !errors.Is(got, c.err) || (got != c.err) != c.full || c.full && !strings.Contains(got.Error(), "TMPDIR") {
			t.Errorf("%v gives %v", c.err, got)
		}
	}
}

// TestNoRoomForAPrivateCopy: the file can be read, so the folder for temporary
// files is named, not the file.
func TestNoRoomForAPrivateCopy(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("no right to mount a small disk: ", err)
	}
	defer syscall.Unmount(small, 0)
	path := lab(t)
	_, err := Open(context.Background(), path, Copied(), TempDir(small))
	if err == nil || errors.Is(err, ErrUnreadable) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("got %v", err)
	}
	if err != nil && strings.Contains(err.Error(), small) {
		t.Errorf("%v names a private file", err)
	}
	if left, err := os.ReadDir(small); err != nil || len(left) != 0 {
		t.Errorf("left behind %v, %v", left, err)
	}
}

// TestAHardLinkFindsNoLogOfItsOwn: the rows in the log beside another name of the
// file would be missing.
func TestAHardLinkFindsNoLogOfItsOwn(t *testing.T) {
	for _, suffix := range siblings[1:] {
		path := lab(t)
		link := filepath.Join(filepath.Dir(path), "link.db")
		if err := os.Link(path, link); err != nil {
			t.Skip(err)
		}
		open(t, link)
		if err := os.WriteFile(path+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, link) // an empty log holds no rows
		if err := os.WriteFile(path+suffix, make([]byte, 600), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(context.Background(), link); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), filepath.Base(path)+suffix) {
			t.Errorf("%s: got %v", suffix, err)
		}
		open(t, path)
	}
}
