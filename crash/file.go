package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Write writes a file about a panic into the first folder that takes it, which
// is made when missing, and returns its path. About is a line on the program and
// its command, without data. Only the user can read the file.
func (p *Panic) Write(about string, now time.Time, dirs ...string) (path string, err error) {
	text := fmt.Sprintf("%s\n%s %s/%s\n%s\n\n%s\n\n%s", about, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		now.UTC().Format(time.RFC3339), p.Kind(), p.Stack())
	name := fmt.Sprintf("crash-%s-%d.txt", now.UTC().Format("20060102-150405"), os.Getpid())
	err = fmt.Errorf("no folder for %s", name)
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if path, err = write(filepath.Join(dir, name), text); err == nil {
			return path, nil
		}
	}
	return "", err
}

func write(path, text string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	if _, err = f.WriteString(text); err != nil {
		f.Close()
		return "", err
	}
	return path, f.Close()
}
