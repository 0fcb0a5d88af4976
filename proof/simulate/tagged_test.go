//go:build !faults

package simulate

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestWithFaults runs this package's tests in a program that has the places.
func TestWithFaults(t *testing.T) {
	// Go's cache of results knows what a test reads, and not what it runs.
	for _, files := range []string{"*.go", "testdata/*", "../../engine/*.go", "../../engine/*/*.go", "../../engine/*/sql/*", "../../analysis/verify/*.go"} {
		list, err := filepath.Glob(files)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v", files, err)
		}
		for _, path := range list {
			if _, err := os.Stat(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("go", "test", "-tags=faults", "-v", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
