package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPowerCuts records the program as it is and cuts its power a few times; lying
// disks must be noticed.
func TestPowerCuts(t *testing.T) {
	if testing.Short() {
		t.Skip("records a program")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	idem := filepath.Join(t.TempDir(), "idem")
	build := exec.Command("go", "build", "-o", idem, "idem")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := run(idem, "../../analysis/ingest/testdata/csv", 1, 120, 12); err != nil {
		t.Error(err)
	}
}
