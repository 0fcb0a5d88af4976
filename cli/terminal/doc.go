// Package terminal holds the tests that drive the whole program in a real
// terminal: a shell in tmux for what only job control, signals and a terminal's
// own idea of widths tell, and a bare pseudo terminal where each byte counts.
//
// Nothing here waits for a time: a test says what it wants to see and looks until
// it is there. Deadlines are for a program that hangs, so a loaded machine makes
// these tests slow and not red.
package terminal
