//go:build !faults

package simulate

import (
	"os"
	"os/exec"
	"testing"
)

// TestWithFaults runs this package's tests in a program that has the places.
func TestWithFaults(t *testing.T) {
	cmd := exec.Command("go", "test", "-tags=faults", "-v", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
