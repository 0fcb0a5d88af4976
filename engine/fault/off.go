//go:build !faults

package fault

// Enabled is true in a program built with -tags faults.
const Enabled = false

// Point is a place where the process can die. Its error is that of a watcher who
// makes the place fail: what would follow is to count as failed.
func Point(string) error { return nil }
