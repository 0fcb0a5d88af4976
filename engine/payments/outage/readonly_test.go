package outage

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"idem/engine"
)

// nobody is a user who owns nothing, where root runs the tests: root may write
// what nobody may.
const nobody = 65534

// foreign is a folder and a copy of this program in it, of a user whom file modes
// bind.
func foreign(t *testing.T) (dir string, run func(path string) *exec.Cmd) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		return t.TempDir(), func(path string) *exec.Cmd { return command(self, path, time.Minute) }
	}
	// Not below t.TempDir, which root alone may enter.
	dir, err = os.MkdirTemp("", "outage")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "program")
	text, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err == nil {
		err = os.Chown(dir, nobody, nobody)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, func(path string) *exec.Cmd {
		cmd := command(program, path, time.Minute)
		cmd.Dir = dir
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		return cmd
	}
}

// A database that may only be read is no store: the server does not start, rather
// than promise what it cannot keep. When the file may be written again, it goes on
// where it was.
func TestDatabaseThatMayOnlyBeRead(t *testing.T) {
	t.Parallel()
	dir, run := foreign(t)
	path := filepath.Join(dir, "pay.db")
	s := launch(t, run(path)).serving()
	s.pay("first").want(t, http.StatusCreated, false)
	s.stop()
	for what, mode := range map[string]struct {
		path         string
		locked, free os.FileMode
	}{"file": {path, 0o400, 0o600}, "folder": {dir, 0o555, 0o755}} {
		if err := os.Chmod(mode.path, mode.locked); err != nil {
			t.Fatal(err)
		}
		said := launch(t, run(path)).wait("")
		if !strings.HasPrefix(said, "failed") || !strings.Contains(said, engine.ErrUnavailable.Error()) {
			t.Errorf("with a read-only %s: %s", what, said)
		}
		if err := os.Chmod(mode.path, mode.free); err != nil {
			t.Fatal(err)
		}
		s := launch(t, run(path)).serving()
		s.pay("first").want(t, http.StatusCreated, true)
		s.pay(what).want(t, http.StatusCreated, false)
		s.stop()
	}
	if n := paid(t, path); n != 3 {
		t.Errorf("%d payments", n)
	}
}

// A folder that may only be read does not matter to a server that has its files.
func TestFolderThatMayOnlyBeReadAnyMore(t *testing.T) {
	t.Parallel()
	dir, run := foreign(t)
	path := filepath.Join(dir, "pay.db")
	s := launch(t, run(path)).serving()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	s.pay("k").want(t, http.StatusCreated, false)
	s.kill()
	s = launch(t, run(path)).serving()
	s.pay("k").want(t, http.StatusCreated, true)
	s.kill()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if n := paid(t, path); n != 1 {
		t.Errorf("%d payments", n)
	}
}
