package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

const folderPrefix = "idem-pgtest-"

// postgresUser is whom Debian's package runs the server as.
func postgresUser() (*syscall.Credential, error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("pgtest: root cannot run Postgres, and there is no user postgres: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("pgtest: user postgres: %w", err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("pgtest: user postgres: %w", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// makeFolder makes the server's folder, short enough for a socket's path, and
// locks it for as long as this process lives.
func makeFolder(owner *syscall.Credential) (string, *os.File, error) {
	sweep()
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return "", nil, err
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	if owner != nil {
		err = os.Chown(dir, int(owner.Uid), int(owner.Gid))
	}
	return dir, lock, err
}

// sweep removes the folders of processes that ended without doing so.
func sweep() {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, dir := range old {
		if lock, err := lockFolder(dir); err == nil {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}

// lockFolder fails at once where another process has the lock.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
