package terminal

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A folder that nothing can be written into is told of; w tries again.
func TestFolderThatCannotBeWritten(t *testing.T) {
	s := newShell(t, 100, 30)
	for _, c := range []struct {
		name        string
		spoil, mend func(path string) error
		says        string
	}{
		{"full", full, func(path string) error { return syscall.Unmount(path, 0) }, "no space left"},
		{"file", func(path string) error { return os.WriteFile(path, nil, 0o600) }, os.Remove, "is a file"},
		{"readonly", readOnly, func(path string) error { return syscall.Unmount(path, 0) }, "read-only"},
	} {
		if err := c.spoil(s.path(c.name)); errors.Is(err, syscall.EPERM) {
			t.Logf("%s: only root can mount", c.name)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		s.start("--out " + c.name)
		s.keys("2", "G")
		s.until("120/120", "files not written (w tries again)", c.says)
		if entries, _ := os.ReadDir(s.path(c.name)); len(entries) > 0 {
			t.Errorf("%s: %d files are left", c.name, len(entries))
		}
		s.keys("q")
		s.until("the day's files are not in " + c.name)
		s.ended(1)
		s.start("--out " + c.name)
		s.keys("2", "G")
		s.until("120/120", "files not written (w tries again)", c.says)
		if err := c.mend(s.path(c.name)); err != nil {
			t.Fatal(err)
		}
		s.keys("w")
		s.until("5 files written into " + c.name)
		s.keys("q")
		s.ended(0)
		s.whole(c.name)
	}
}

// full makes a folder whose disk has no room for a ledger.
func full(path string) error { return mount(path, 0, "size=16k") }

func readOnly(path string) error { return mount(path, syscall.MS_RDONLY, "") }

func mount(path string, flags uintptr, data string) error {
	if os.Getuid() != 0 {
		return syscall.EPERM
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	return syscall.Mount("tmpfs", path, "tmpfs", flags, data)
}

// The summary that does not get through is an error, not a success.
func TestFullStdout(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	for _, args := range [][]string{{"lab.db"}, {"analyze", "lab.db", "--json"}} {
		device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		defer device.Close()
		cmd := exec.Command("./idem", args...)
		cmd.Dir = dir
		cmd.Stdout = device
		var said strings.Builder
		cmd.Stderr = &said
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(said.String(), "no space left") {
			t.Errorf("%q: exit code %d, it said %q", args, code, said.String())
		}
	}
}

// On a line of 9600 bytes a second frames are dropped and not queued: what comes
// after a key that ends the program is less than the frame that was on its way.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	l := dialSlow(t, folder(t), 10*time.Millisecond, nil, "lab.db", "--out", "slow")
	l.until("double paid", theDay)
	l.keys("2+++ ") // 32 steps a second
	l.until("▶ 32x", "/120")
	l.until("created", " 4")
	before := len(l.bytes())
	l.keys("qq")
	l.end(0)
	const frame, kernel = 16 << 10, 4 << 10 // a whole screen, and what a pseudo terminal holds
	if after := len(l.bytes()) - before; after > frame+kernel {
		t.Errorf("%d bytes came after the key", after)
	}
}
