package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"idem/engine/durable"
	"idem/engine/fault"
)

// ErrOverwritesInput: a file of the report would take the place of the incident
// database. Another folder must be named.
var ErrOverwritesInput = errors.New("would overwrite the input database")

// Write puts the report into dir and returns the paths of its files. The folder
// is made when it is missing, and other files in it are left alone. Each file is
// whole or absent: all are first written beside their names and synced, and only
// when the last one is complete do they take their names. A link that stands
// under a name is replaced, not followed. What a killed program left of such
// files is removed.
func (r *Report) Write(ctx context.Context, dir string, langs ...Lang) ([]string, error) {
	return writeInto(ctx, dir, Formats(langs...), r.day.Incident, r)
}

// writeInto writes the files of formats into dir, all or none. A folder that it
// made goes again with its error.
func writeInto(ctx context.Context, dir string, formats []Format, in Input, r *Report) (paths []string, err error) {
	made, err := makeDir(dir)
	defer func() {
		if err != nil {
			made.remove()
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := vacant(dir, formats, in); err != nil {
		return nil, err
	}
	unlock, locked, err := lockDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if locked {
		sweep(dir, formats)
	}
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

// Stale are files of dir that a report in another language left there and that
// one in these languages does not write anew: they are of an earlier run.
func Stale(dir string, langs ...Lang) []string {
	var list []string
	for _, f := range Formats(Languages()...) {
		if f.Lang == "" || f.Lang == Korean || slices.Contains(langs, f.Lang) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(dir, f.File)); err == nil && info.Mode().IsRegular() {
			list = append(list, f.File)
		}
	}
	return list
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
			return paths, fmt.Errorf("write %s: %w", filepath.Base(f.path), durable.Named(err, f.tmp, f.path))
		}
		paths = append(paths, f.path)
	}
	if err := fault.Point(fault.InExport); err != nil {
		return paths, err
	}
	return paths, durable.Folder(dir)
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
