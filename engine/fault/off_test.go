//go:build !faults

package fault_test

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"idem/engine/fault"
)

// TestPointsAreNothing: without -tags faults a place does nothing, and no trace
// of one is in a program that comes to it; this test is such a program.
func TestPointsAreNothing(t *testing.T) {
	if err := fault.Point(fault.BeforeCommit); err != nil || fault.Enabled {
		t.Errorf("a place fails: %v", err)
	}
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("looks into a Linux program that it builds")
	}
	if found := symbols(t); len(found) > 0 {
		t.Errorf("the program has %q", found)
	}
	if len(symbols(t, "-tags=faults")) == 0 {
		t.Error("a program with -tags faults has no symbol of a place either: this test cannot fail")
	}
}

// symbols are those of this package in its test program.
func symbols(t *testing.T, flags ...string) (found []string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	build := append([]string{"test", "-c", "-o", program}, flags...)
	if out, err := exec.Command("go", append(build, ".")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if strings.HasPrefix(s.Name, "idem/engine/fault.") {
			found = append(found, s.Name)
		}
	}
	return found
}
