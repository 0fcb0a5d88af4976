package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// newFile makes a file that only the user can read, for what a flag asks to be
// written down. Nothing that exists is overwritten.
func newFile(path, flag string) (*os.File, error) {
	if path == "" {
		return nil, usageError("%s is empty: name a file", flag)
	}
	// SQLite would take such a file for a part of the database beside it.
	for _, tail := range []string{"-wal", "-shm", "-journal"} {
		if strings.HasSuffix(path, tail) {
			return nil, usageError("%s: %q is named like a part of a database; name another file", flag, path)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: %q exists already; name another file", flag, path)
	}
	return f, err
}
