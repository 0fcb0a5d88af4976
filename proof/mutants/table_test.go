package main

import "testing"

// TestMutantsApply: the table keeps up with the code. What each mutant does to
// its test is seen by running the command.
func TestMutantsApply(t *testing.T) {
	t.Chdir("../..")
	seen := map[string]bool{}
	for _, m := range mutants {
		if seen[m.name] {
			t.Errorf("two mutants have the name %q", m.name)
		}
		seen[m.name] = true
		if _, err := m.overlay(t.TempDir()); err != nil || m.old == m.new {
			t.Errorf("%s: %v", m.name, err)
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d mutants", len(seen))
	}
}
