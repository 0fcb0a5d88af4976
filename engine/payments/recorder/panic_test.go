package recorder

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"idem/crash"
)

// A panic of the writer drops what it held, and is told when the record is closed.
func TestPanicOfTheWriter(t *testing.T) {
	var lost int
	var why error
	r, err := Open(t.Context(), filepath.Join(t.TempDir(), "record.db"), nil, func(n int, err error) { lost, why = lost+n, err })
	if err != nil {
		t.Fatal(err)
	}
	whole := r.file
	r.file = &file{} // without a database
	r.Add(Entry{Outcome: "created"})
	<-r.done
	r.file = whole
	if lost != 1 || why == nil || !strings.Contains(why.Error(), "nil pointer") {
		t.Errorf("%d entries dropped: %v", lost, why)
	}
	if err := r.Close(); !errors.As(err, new(*crash.Panic)) {
		t.Errorf("closed with %v", err)
	}
}
