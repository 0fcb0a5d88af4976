//go:build !faults

package fault

// Point is a place where the process can die.
func Point(string) {}
