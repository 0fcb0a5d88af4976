package report

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Input is what a file must not overwrite.
type Input interface{ Path() string }

// WriteFile writes one file, whole or not at all, for commands that export no
// folder. It refuses to take the place of the input, or of a file beside it
// ([ErrOverwritesInput]).
func WriteFile(ctx context.Context, path string, in Input, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("write %q: it is a folder; name a file", path)
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
