//go:build unix

package durable

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

const prefix = "idem-test-"

// TestMain is a process that makes a private folder and is killed, if it is asked to.
func TestMain(m *testing.M) {
	if dir := os.Getenv("DURABLE_KILLED_IN"); dir != "" {
		path, done, err := Private(dir, prefix)
		if err == nil {
			err = os.WriteFile(filepath.Join(path, "secret"), nil, 0o600)
		}
		if err == nil {
			_ = killMyself()
			_ = done()
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func killMyself() error {
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := p.Kill(); err != nil {
		return err
	}
	select {}
}

func TestPrivateSweepsWhatTheKilledLeft(t *testing.T) {
	dir := t.TempDir()
	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), "DURABLE_KILLED_IN="+dir)
	if err := killed.Run(); err == nil || killed.ProcessState.Exited() {
		t.Fatalf("it was not killed: %v", killed.ProcessState)
	}
	if left := list(t, dir); len(left) != 1 {
		t.Fatalf("it left %v", left)
	}
	mine, done, err := Private(dir, prefix)
	if err != nil {
		t.Fatal(err)
	}
	if left := list(t, dir); len(left) != 1 || left[0] != filepath.Base(mine) {
		t.Errorf("%v is there, want %s only", left, filepath.Base(mine))
	}
	if err := done(); err != nil || len(list(t, dir)) != 0 {
		t.Errorf("%v is left, %v", list(t, dir), err)
	}
}

func TestPrivateLeavesWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	used, done, err := Private(dir, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = done() }()
	want := []string{filepath.Base(used)}
	for name, mode := range map[string]os.FileMode{prefix + "notes": 0o700, "x" + prefix + "1": 0o700, prefix + "2": 0o755} {
		if err := os.Mkdir(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	for name, make := range map[string]func(string) error{
		prefix + "3": func(p string) error { return os.WriteFile(p, nil, 0o700) },
		prefix + "4": func(p string) error { return os.Symlink(t.TempDir(), p) },
	} {
		if err := make(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	another, done, err := Private(dir, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = done() }()
	want = append(want, filepath.Base(another))
	slices.Sort(want)
	if left := list(t, dir); !slices.Equal(left, want) {
		t.Errorf("%v is left, want %v", left, want)
	}
}

// TestPrivateAtOnce: whoever sweeps never takes a folder from one who works in it.
func TestPrivateAtOnce(t *testing.T) {
	dir := t.TempDir()
	var working sync.WaitGroup
	for range 8 {
		working.Go(func() {
			for range 50 {
				path, done, err := Private(dir, prefix)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(path, "work"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := done(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	working.Wait()
	if left := list(t, dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestHold(t *testing.T) {
	dir := t.TempDir()
	release, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(dir); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
	release()
	release, err = Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	release()
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
