package recorder

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"idem/crash"
)

// A panic of the writer drops what it held and what comes after, and is told when
// the record is closed.
func TestPanicOfTheWriter(t *testing.T) {
	lost := make(chan error, 2)
	r, err := Open(t.Context(), filepath.Join(t.TempDir(), "record.db"), nil, func(n int, err error) {
		for range n {
			lost <- err
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	whole := r.file
	r.file = &file{} // without a database
	for i := range 2 {
		r.Add(Entry{Outcome: "created"})
		if why := <-lost; why == nil || !strings.Contains(why.Error(), "nil pointer") {
			t.Errorf("entry %d is dropped: %v", i+1, why)
		}
	}
	r.file = whole
	if err := r.Close(); !errors.As(err, new(*crash.Panic)) {
		t.Errorf("closed with %v", err)
	}
}
