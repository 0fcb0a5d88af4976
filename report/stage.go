package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"idem/engine/durable"
)

// file is one that is complete but for its name.
type file struct{ path, tmp string }

// stage writes a file beside its name and syncs it. Nothing is left on errors.
func stage(ctx context.Context, path string, write func(io.Writer) error) (f file, err error) {
	if err := ctx.Err(); err != nil {
		return file{}, err
	}
	out, err := createBeside(path)
	if err != nil {
		return file{}, durable.Named(err, "", path)
	}
	defer func() {
		if err != nil {
			out.Close()
			os.Remove(out.Name())
			err = durable.Named(err, out.Name(), path)
		}
	}()
	b := bufio.NewWriterSize(out, 1<<16)
	if err := write(b); err != nil {
		return file{}, err
	}
	if err := b.Flush(); err != nil {
		return file{}, err
	}
	if err := out.Sync(); err != nil {
		return file{}, err
	}
	if err := out.Close(); err != nil {
		return file{}, err
	}
	return file{path, out.Name()}, nil
}

// createBeside makes a new hidden file next to path. It is never one that is
// there already, so a planted link is not followed; the umask decides its mode.
func createBeside(path string) (*os.File, error) {
	dir, name := filepath.Split(path)
	for i := range 10_000 {
		tmp := filepath.Join(dir, fmt.Sprintf(".%s.tmp-%d-%d", name, os.Getpid(), i))
		f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("too many unfinished files .%s.tmp-* in %q; remove them", name, dir)
}

// unfinished is the name of a file that is not complete, as createBeside makes it.
var unfinished = regexp.MustCompile(`^\.(.+)\.tmp-[0-9]+-[0-9]+$`)

// sweep removes what a program that was killed left of these files. Whoever
// writes them holds the folder's lock, as the caller does: nobody is at work on one.
func sweep(dir string, formats []Format) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := unfinished.FindStringSubmatch(e.Name())
		if name == nil || !e.Type().IsRegular() {
			continue
		}
		if slices.ContainsFunc(formats, func(f Format) bool { return f.File == name[1] }) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
