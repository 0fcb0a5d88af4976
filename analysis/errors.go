package analysis

import (
	"errors"
	"fmt"
	"strconv"
	"syscall"

	"idem/engine/durable"
	"idem/engine/sqlitestore/sqlfile"
)

// ErrUnreadable is what every error about the input file is, be it missing, no
// database, damaged, locked, changed while it was read, or of another schema.
var ErrUnreadable = errors.New("input is unreadable")

// ErrLocked is an ErrUnreadable: another process kept the file locked.
var ErrLocked = errors.New("input is locked")

// ErrChanged is an ErrUnreadable: the file is not what it was when opened.
var ErrChanged = errors.New("input has changed")

// An InputError says what is wrong with an input and what to do about it.
type InputError struct {
	Path   string
	Reason string // what is wrong, and the way out
	PID    int    // the process that holds a lock, 0 when there is none or it is unknown
	kind   error  // ErrLocked, ErrChanged or nil
	cause  error
}

func (e *InputError) Error() string {
	s := "open " + strconv.Quote(e.Path) + ": " + e.Reason
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap makes errors.Is find ErrUnreadable, the kind and the cause.
func (e *InputError) Unwrap() []error {
	list := []error{ErrUnreadable}
	for _, err := range []error{e.kind, e.cause} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

// unreadable is an InputError about path.
func unreadable(path string, cause error, format string, args ...any) error {
	return &InputError{Path: path, Reason: fmt.Sprintf(format, args...), cause: cause}
}

// PrivateDir makes a folder that only the user can look into, in dir or, where
// that is "", where temporary files go. done removes it, and the next PrivateDir
// there does so when the process is killed; who drops done gives it away.
func PrivateDir(dir string) (made string, done func() error, err error) {
	made, done, err = durable.Private(dir, "idem-private-")
	if err != nil {
		return "", nil, fmt.Errorf("there is no place for temporary files; set TMPDIR to another one: %w", err)
	}
	return made, done, nil
}

// TempError says what to do where a private file could not be written because
// there is no room for it, whichever layer found that out. Any other error stays
// as it is.
func TempError(err error) error {
	var e *sqlfile.Error
	full := errors.Is(err, syscall.ENOSPC) || errors.As(err, &e) && e.Primary() == sqlfile.Full
	if !full {
		return err
	}
	return fmt.Errorf("there is no room for temporary files; set TMPDIR to a folder with more of it: %w", err)
}

// readError explains what SQLite said while path was read. Errors of other
// origins, such as the end of a context, pass as they are.
func readError(path string, err error) error {
	var e *sqlfile.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Primary() {
	case sqlfile.NotADB:
		return unreadable(path, err, noDatabase)
	case sqlfile.Corrupt:
		return unreadable(path, err, "the database is damaged; restore it from a copy, or save what is left with sqlite3's .recover")
	case sqlfile.Full:
		return TempError(err) // of a private copy: nothing else is ever written
	case sqlfile.Busy:
		return &InputError{Path: path, Reason: "another process holds it; close that program or analyse a copy", kind: ErrLocked, cause: err}
	}
	return unreadable(path, err, "it cannot be read")
}
