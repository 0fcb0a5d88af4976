package analysis

import (
	"os"
	"path/filepath"
	"strings"
)

// ownLog makes sure that a file's write-ahead log or journal is not under another
// name of the file. SQLite looks for them beside the name that it opens, so that
// the rows in a log beside a hard link would be missing without a word. Names in
// other folders cannot be found.
func (f *File) ownLog() error {
	if f.state.wal.size > 0 || f.state.journal.size > 0 || !severalNames(f.state.main.info) {
		return nil
	}
	dir := filepath.Dir(f.resolved)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // a folder that may not be listed
	}
	for _, e := range entries {
		for _, suffix := range siblings[1:] {
			name, ok := strings.CutSuffix(e.Name(), suffix)
			if !ok || !sameFile(f.state.main.info, filepath.Join(dir, name)) {
				continue
			}
			if log, err := e.Info(); err == nil && log.Size() > 0 {
				return unreadable(f.path, nil, "the file is also %q, and rows of it are in %q, which stands beside that name; open it by that one", name, e.Name())
			}
		}
	}
	return nil
}

func sameFile(info os.FileInfo, path string) bool {
	other, err := os.Stat(path)
	return err == nil && os.SameFile(info, other)
}
