package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"idem/engine/durable"
)

// CanWrite tells before a day is replayed what would keep its report from being
// written into dir. It leaves nothing behind.
func CanWrite(dir string, in Input, langs ...Lang) error {
	made, err := makeDir(dir)
	defer made.remove()
	if err != nil {
		return err
	}
	if err := vacant(dir, Formats(langs...), in); err != nil {
		return err
	}
	path := filepath.Join(dir, "day.db")
	probe, err := createBeside(path)
	if err != nil {
		return fmt.Errorf("write into %q: %w; name another folder", dir, durable.Named(err, "", path))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Obstacle is what can be seen to keep a report from being written into dir, nil
// where there is nothing such. It only looks and leaves no trace, so it does not
// see everything: a full disk is told by Write.
func Obstacle(dir string, in Input, langs ...Lang) error {
	if dir == "" {
		return errNoFolder
	}
	at := filepath.Clean(dir)
	info, err := os.Stat(at)
	for errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	switch {
	case err != nil:
		return fmt.Errorf("look at the report's folder: %w; name another one", err)
	case !info.IsDir():
		return isFile(at)
	}
	if err := mayMakeFiles(at); err != nil {
		return fmt.Errorf("write into %q: %w; name another folder", at, err)
	}
	return vacant(dir, Formats(langs...), in)
}

var errNoFolder = errors.New("make the report's folder: no folder was named")

func isFile(dir string) error {
	return fmt.Errorf("make the report's folder: %q is a file; name a folder", dir)
}

// madeDirs are folders that were made, the innermost last.
type madeDirs []string

// remove removes those that are empty.
func (m madeDirs) remove() {
	for _, dir := range slices.Backward(m) {
		if os.Remove(dir) != nil {
			return // not empty; nor are those above it
		}
	}
}

// makeDir makes dir and those above it, and says which of them it made.
func makeDir(dir string) (made madeDirs, err error) {
	if dir == "" {
		return nil, errNoFolder
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil, nil
	case err == nil:
		return nil, isFile(dir)
	}
	var missing []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	for _, at := range slices.Backward(missing) {
		if os.Mkdir(at, 0o755) == nil {
			made = append(made, at)
		}
	}
	// Another program may make them at the same time, which is as good.
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return made, fmt.Errorf("make the report's folder: %w; name another one", err)
	}
	for _, at := range made {
		if err := durable.Folder(filepath.Dir(at)); err != nil {
			return made, fmt.Errorf("make the report's folder: %w", err)
		}
	}
	return made, nil
}

// remains are files that SQLite leaves beside a day.db that was in use. They go
// when a new one comes: SQLite would play them into it.
var remains = []string{"day.db-wal", "day.db-shm", "day.db-journal"}

// vacant tells before any work is done whether the names can be taken: not
// where a folder stands, and not where the input does, by whatever name or link.
func vacant(dir string, formats []Format, in Input) error {
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
