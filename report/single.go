package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Input is what a file must not overwrite.
type Input interface{ Path() string }

// WriteFile writes one file, whole or not at all, for commands that export no
// folder. It refuses to take the place of the input, or of a file beside it
// ([ErrOverwritesInput]).
func WriteFile(ctx context.Context, path string, in Input, write func(io.Writer) error) error {
	if err := replaceable(path); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	if ofInput(path, in.Path()) {
		return fmt.Errorf("write %q: %w; name another file", path, ErrOverwritesInput)
	}
	unlock, locked, err := lockDir(ctx, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	if locked {
		sweep(filepath.Dir(path), []Format{{File: filepath.Base(path)}})
	}
	f, err := stage(ctx, path, write)
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	defer os.Remove(f.tmp)
	_, err = publish(filepath.Dir(path), []file{f})
	return err
}

// replaceable refuses what is no file. A file comes whole by taking another one's
// name: a device or a pipe would be gone, and nobody who reads from it would get
// anything. The names of the standard streams lead to such, or to what a shell
// opened.
func replaceable(path string) error {
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return errors.New("it is a folder; name a file")
		case !info.Mode().IsRegular():
			return errNoFile
		}
	}
	if target, err := os.Readlink(path); err == nil && strings.HasPrefix(target, "/proc/") {
		return errNoFile
	}
	return nil
}

var errNoFile = errors.New("it is no regular file; name a file, or leave the name out where standard output is meant")
