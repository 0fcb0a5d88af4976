// Package outage holds no code, only tests: servers on one SQLite file that are
// killed between any two steps, stopped while they work, and deprived of their
// disk or of the lock on their file. Whatever happens, a key pays once, and what
// a client was told stays true.
package outage
