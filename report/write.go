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
	"slices"

	"idem/analysis"
	"idem/engine/fault"
)

// ErrOverwritesInput: a file of the report would take the place of the incident
// database. Another folder must be named.
var ErrOverwritesInput = errors.New("would overwrite the input database")

// Write puts the report into dir and returns the paths of its files. The folder
// is made when it is missing, and other files in it are left alone. Each file is
// whole or absent: all are first written beside their names and synced, and only
// when the last one is complete do they take their names. A link that stands
// under a name is replaced, not followed.
func (r *Report) Write(ctx context.Context, dir string, langs ...Lang) ([]string, error) {
	formats := Formats(langs...)
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	if err := vacant(dir, formats, r.day.Incident); err != nil {
		return nil, err
	}
	unlock, err := lockDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return writeAll(ctx, dir, formats, r)
}

// writeAll stages all files and then gives them their names.
func writeAll(ctx context.Context, dir string, formats []Format, r *Report) ([]string, error) {
	var staged []file
	defer func() {
		for _, f := range staged {
			os.Remove(f.tmp)
		}
	}()
	for _, f := range formats {
		s, err := stage(ctx, filepath.Join(dir, f.File), func(w io.Writer) error { return f.write(ctx, w, r) })
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", f.File, err)
		}
		staged = append(staged, s)
	}
	return publish(dir, staged)
}

// file is one that is complete but for its name.
type file struct{ path, tmp string }

// makeDir makes dir and those above it.
func makeDir(dir string) error {
	if dir == "" {
		return errors.New("make the report's folder: no folder was named")
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return fmt.Errorf("make the report's folder: %q is a file; name a folder", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the report's folder: %w", err)
	}
	return nil
}

// remains are files that SQLite leaves beside a day.db that was in use. They go
// when a new one comes: SQLite would play them into it.
var remains = []string{"day.db-wal", "day.db-shm", "day.db-journal"}

// vacant tells before any work is done whether the names can be taken: not
// where a folder stands, and not where the input does, by whatever name or link.
func vacant(dir string, formats []Format, in *analysis.Incident) error {
	names := slices.Clone(remains)
	for _, f := range formats {
		names = append(names, f.File)
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return fmt.Errorf("write %s: %q is a folder; remove it or name another one", name, path)
		}
		if ofInput(path, in.Path()) {
			return fmt.Errorf("write %q: %w; name another folder", path, ErrOverwritesInput)
		}
	}
	return nil
}

// siblings are what SQLite keeps beside a database. A file of that name beside
// the input would be taken for a part of it.
var siblings = []string{"", "-wal", "-journal", "-shm"}

// ofInput reports whether path is the input or one of its siblings, by whatever
// name or link, or would become one.
func ofInput(path, input string) bool {
	for _, sibling := range siblings {
		for _, there := range statAll(path) {
			if slices.ContainsFunc(statAll(input+sibling), func(in os.FileInfo) bool { return os.SameFile(in, there) }) {
				return true
			}
		}
		if filepath.Base(path) == filepath.Base(input)+sibling && sameDir(path, input) {
			return true
		}
	}
	return false
}

func sameDir(a, b string) bool {
	dirs := statAll(filepath.Dir(a), filepath.Dir(b))
	return len(dirs) == 2 && os.SameFile(dirs[0], dirs[1])
}

// statAll looks at those of the paths that exist, through their links.
func statAll(paths ...string) []os.FileInfo {
	var list []os.FileInfo
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			list = append(list, info)
		}
	}
	return list
}

// stage writes a file beside its name and syncs it. Nothing is left on errors.
func stage(ctx context.Context, path string, write func(io.Writer) error) (f file, err error) {
	if err := ctx.Err(); err != nil {
		return file{}, err
	}
	out, err := createBeside(path)
	if err != nil {
		return file{}, err
	}
	defer func() {
		if err != nil {
			out.Close()
			os.Remove(out.Name())
		}
	}()
	b := bufio.NewWriterSize(out, 1<<16)
	if err := errors.Join(write(b), b.Flush()); err != nil {
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

// publish gives the files their names.
func publish(dir string, staged []file) ([]string, error) {
	replaces := slices.ContainsFunc(staged, func(f file) bool { return filepath.Base(f.path) == "day.db" })
	for _, name := range remains {
		if !replaces {
			break // the remains are of a day.db that stays
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove the remains of an older day.db: %w", err)
		}
	}
	paths := make([]string, 0, len(staged))
	for _, f := range staged {
		if err := fault.Point(fault.InExport); err != nil {
			return paths, err
		}
		if err := os.Rename(f.tmp, f.path); err != nil {
			return paths, fmt.Errorf("write %s: %w", filepath.Base(f.path), err)
		}
		paths = append(paths, f.path)
	}
	if err := fault.Point(fault.InExport); err != nil {
		return paths, err
	}
	return paths, syncDir(dir)
}

// syncDir makes the new names durable, where the file system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // not readable, which a folder that is written to may be
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return fmt.Errorf("sync the report's folder: %w", err)
	}
	return nil
}

// copyLedger copies day.db, which nothing writes to any more.
func copyLedger(ctx context.Context, w io.Writer, r *Report) error {
	in, err := os.Open(r.day.DayDB)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(w, &contextReader{ctx, in})
	return err
}

// contextReader ends a copy with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
